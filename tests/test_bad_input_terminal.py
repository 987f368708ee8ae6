"""What the terminal shows of a submission that cannot be read: one sentence, an exit code, no traceback of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def run_check(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", "check", str(path), "--lang", "en", *options]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120)


def no_such_folder(folder: Path) -> Path:
    return folder / "nowhere"


def no_package(folder: Path) -> Path:
    (folder / "assignment1").rename(folder / "assignment_1")
    return folder


def utf_16(folder: Path) -> Path:
    (folder / "assignment1" / "norm.py").write_bytes("# 归一化\n".encode("utf-16"))
    return folder


def link(folder: Path) -> Path:
    (folder / "assignment1" / "norm.py").unlink()
    (folder / "assignment1" / "norm.py").symlink_to(folder / "assignment1" / "rope.py")
    return folder


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (no_such_folder, "grader: no such file or folder: {path}\n"),
        (no_package, "grader: no assignment1/ folder in {path}\n"),
        (utf_16, "grader: assignment1/norm.py holds a NUL byte: it is not Python source text\n"),
        pytest.param(
            link,
            "grader: assignment1/norm.py is a link; links are not followed\n",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows makes links only for administrators"),
        ),
    ],
)
def test_what_cannot_be_graded_is_refused_in_one_sentence(submission_folder, damage, sentence):
    path = damage(submission_folder)

    ended = run_check(path)

    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", sentence.format(path=path))


def test_the_terminal_shows_the_sentence_and_the_line_and_no_traceback(submission_folder):
    ffn = submission_folder / "assignment1" / "ffn.py"
    ffn.write_text(ffn.read_text("utf-8") + "\nwidth = {}['[/red]']\n", "utf-8")

    ended = run_check(submission_folder, "--only", "ffn.hidden-dim")
    shown = " ".join(ended.stdout.split())

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Importing the module with swiglu_hidden_dim raised KeyError: '[/red]'" in shown
    assert f"assignment1/ffn.py:{len(ffn.read_text('utf-8').splitlines())} in <module>: width = {{}}['[/red]']" in shown
    assert "Traceback" not in ended.stdout
