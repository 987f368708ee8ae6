"""How the command line ends: 2 for wrong usage, 3 for a fault of ours, which is never a zero."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from command_line import PLAIN, Checked, grader

from grader.cli import check as command
from grader.errors import RunnerUnavailable, UsageError
from grader.report import files, json_file
from grader.runners.base import Limits


@pytest.fixture
def checked(warm_runner, monkeypatch):
    """A function: run ``grader check`` here, on the warm runner."""
    monkeypatch.setattr(command, "LocalRunner", lambda limits: warm_runner)
    return Checked


# -- wrong usage: 2 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", PLAIN, "--only", "rope.bse"], "no check is called rope.bse; did you mean rope.base?"),
        (["check", PLAIN, "--device", "tpu"], "unknown device 'tpu'"),
        (["check", "no-such-folder"], "no such file or folder: no-such-folder"),
        (["check", PLAIN, "--json", "no-such-folder/report.json"], "no such folder for the report"),
        (["check", PLAIN, "--json", "."], "it is not a regular file"),
        (["check", PLAIN, "--assignment", "none.toml"], "cannot read none.toml"),
        (["check", PLAIN, "--runner", "moon"], "moon"),
        (["check", PLAIN, "--seed", "x"], "--seed"),
        (["explain", "rope.bse"], "did you mean rope.base?"),
        (["chek"], "chek"),
    ],
    ids=lambda value: " ".join(map(str, value[2:] or value)) if isinstance(value, list) else "",
)
def test_wrong_usage_ends_with_two_and_one_sentence(arguments, said, tmp_path):
    result = grader(*arguments, cwd=tmp_path)

    assert result.returncode == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_report_that_cannot_be_written_after_all_ends_as_wrong_usage(tmp_path, checked, monkeypatch):
    def full(report, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(json_file, "write", full)

    with pytest.raises(UsageError, match=r"cannot be written to .*report\.json: No space left on device"):
        checked(json=tmp_path / "report.json")


def test_a_page_that_cannot_be_written_after_all_leaves_the_report(tmp_path, checked, monkeypatch):
    write = files.write

    def full(text, path):
        if path.suffix == ".html":
            raise OSError(28, "No space left on device")
        write(text, path)

    monkeypatch.setattr(files, "write", full)

    with pytest.raises(UsageError, match=r"cannot be written to .*page\.html: No space left on device"):
        checked(json=tmp_path / "report.json", html=tmp_path / "page.html")

    assert json_file.from_json((tmp_path / "report.json").read_text("utf-8")).graded


def test_a_link_is_not_written_through(tmp_path, checked):
    (tmp_path / "target").write_text("kept")
    (tmp_path / "report.json").symlink_to(tmp_path / "target")

    with pytest.raises(UsageError, match="not a regular file"):
        checked(json=tmp_path / "report.json")

    assert (tmp_path / "target").read_text() == "kept"


# -- not graded: 3, and never a zero -----------------------------------------------------------------------------


class NoRunner:
    """A runner whose workers do not start."""

    name, trusted, isolation, limits = "local", False, "plain", Limits()
    started = 0

    def prepare(self) -> None:
        pass

    def start(self, files):
        NoRunner.started += 1
        raise RunnerUnavailable("[red]the disk is full[/red]")

    def close(self) -> None:
        pass


def test_a_worker_that_does_not_start_is_no_grade_and_no_zero(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "LocalRunner", lambda limits: NoRunner())
    monkeypatch.setattr(NoRunner, "started", 0)

    run = Checked(json=tmp_path / "report.json", only=["rope", "norm"], fail_under=50)

    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert run.code == 3
    assert "NOT GRADED, through no fault of the submission" in run.output
    assert "[red]the disk is full[/red]" in run.output
    assert "0/" not in run.output
    assert "Score" not in run.output
    assert (report["graded"], report["score"]) == (False, None)
    assert NoRunner.started == 1  # the other checks do not wait for a worker again


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        ("GraderError('no memory')", 3, "not graded: no memory"),
        ("RuntimeError('a bug of ours')", 3, "RuntimeError: a bug of ours"),
        ("UsageError('no such thing')", 2, "grader: no such thing"),
        ("SystemExit(7)", 7, ""),
    ],
)
def test_the_exit_code_says_whose_fault_it_was(error, code, said):
    program = (
        "import sys; from grader.cli import check, main; from grader.errors import GraderError, UsageError\n"
        f"def run(request, console): raise {error}\n"
        "check.run = run; sys.argv = ['grader', 'check']; main()"
    )

    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert result.returncode == code
    assert said in result.stderr
