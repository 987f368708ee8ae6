"""Gradescope's autograder zip, run as Gradescope runs it, in a tree that stands for /autograder."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import bank_loader
import pytest
from command_line import environment, grader

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="Gradescope's machines have bash, this one has not")


@pytest.fixture(scope="module")
def packaged(tmp_path_factory) -> Path:
    """The zip, with a course's own settings that let two checks run."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "own.toml").write_text(
        '[assignment]\ntitle = "Own"\n[points]\n"norm.rmsnorm-values" = 3\n"ffn.hidden-dim" = 2\n'
        '[visibility]\nhidden = ["ffn.hidden-dim"]\n',
        "utf-8",
    )
    ended = grader(
        "package", "gradescope", "-o", folder / "autograder.zip", "--assignment", folder / "own.toml", "--lang", "zh"
    )
    assert ended.returncode == 0, ended.stderr
    return folder / "autograder.zip"


@pytest.fixture
def machine(packaged, tmp_path) -> Path:
    """As Gradescope lays it out: the zip's content in source/, run_autograder beside it."""
    root = tmp_path / "autograder"
    with zipfile.ZipFile(packaged) as archive:
        archive.extractall(root / "source")
    (root / "submission").mkdir()
    shutil.copy(root / "source/run_autograder", root / "run_autograder")
    return root


def run(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BASH, root / "run_autograder"],
        env=environment(AUTOGRADER_ROOT=str(root), GRADER_PYTHON=sys.executable, PYTHONIOENCODING="utf-8"),
        capture_output=True,
        encoding="utf-8",
        cwd=root,
        check=False,
        timeout=240,
    )


def hand_in(root: Path, prefix: str = "assignment1/") -> None:
    for path, text in bank_loader.base().files.items():
        file = root / "submission" / prefix / path.removeprefix("assignment1/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def result_of(root: Path) -> dict:
    return json.loads((root / "results/results.json").read_text("utf-8"))


def test_scripts_stand_at_the_root_and_can_be_run(packaged):
    with zipfile.ZipFile(packaged) as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}

    assert modes["setup.sh"] & stat.S_IXUSR
    assert modes["run_autograder"] & stat.S_IXUSR
    assert {"requirements.txt", "constraints.txt", "assignment.toml"} <= set(modes)
    assert {"lib/grader/__main__.py", "lib/reference/rope.py", "lib/grader/feedback/zh.toml"} <= set(modes)
    assert not [name for name in modes if "__pycache__" in name or "tests/" in name]


def test_the_same_grader_makes_the_same_zip(packaged, tmp_path):
    again = tmp_path / "again.zip"
    grader("package", "gradescope", "-o", again, "--assignment", packaged.with_name("own.toml"), "--lang", "zh")

    assert again.read_bytes() == packaged.read_bytes()


def test_what_it_needs_is_what_the_project_needs(packaged):
    with zipfile.ZipFile(packaged) as archive:
        needed = archive.read("requirements.txt").decode().split("\n")
        scripts = {name: archive.read(name).decode() for name in ("setup.sh", "run_autograder")}

    names = {line.split(">")[0].strip() for line in needed if line}
    assert {"torch", "numpy", "pydantic", "pytest", "nbformat"} <= names
    assert "docker" not in names
    assert not [line for line in needed if "extra" in line]
    assert scripts["run_autograder"].rstrip().endswith(" zh")


@pytest.mark.parametrize("script", ["setup.sh", "run_autograder"])
def test_scripts_are_bash(script, machine):
    assert subprocess.run([BASH, "-n", machine / "source" / script], check=False).returncode == 0


def test_a_submission_is_graded_by_what_is_in_the_zip(machine):
    hand_in(machine)
    broken = machine / "source/lib/grader/feedback/titles.zh.toml"
    text = broken.read_text("utf-8")
    title = next(line for line in text.splitlines() if line.startswith('"norm.rmsnorm-values"'))
    broken.write_text(text.replace(title, '"norm.rmsnorm-values" = "压缩包里的标题"'), "utf-8")

    ended = run(machine)

    assert ended.returncode == 0, ended.stderr
    result = result_of(machine)
    assert result["score"] == 5
    assert [test["max_score"] for test in result["tests"]] == [3, 2]
    assert result["tests"][0]["name"] == "norm.rmsnorm-values: 压缩包里的标题"
    assert "ffn" not in json.dumps(result["tests"][1])
    assert result["output"].startswith("得分 5 / 5")


def test_modules_without_their_folder_are_graded_as_well(machine):
    hand_in(machine, "")

    assert run(machine).returncode == 0
    assert result_of(machine)["score"] == 5


def test_a_wrong_submission_loses_points_and_reads_why(machine):
    hand_in(machine)
    norm = machine / "submission/assignment1/norm.py"
    norm.write_text(norm.read_text("utf-8") + "\nRMSNorm.forward = lambda self, x: x\n", "utf-8")

    assert run(machine).returncode == 0
    assert result_of(machine)["score"] == 2
    assert result_of(machine)["tests"][0]["status"] == "failed"
    assert "RMSNorm" in result_of(machine)["tests"][0]["output"]


def test_what_cannot_be_graded_at_all_says_why(machine):
    (machine / "submission/essay.txt").write_text("hello", "utf-8")

    assert run(machine).returncode == 0
    result = result_of(machine)
    assert result["score"] == 0
    assert "assignment1/" in result["output"]
    assert str(machine) not in result["output"]


def test_our_own_fault_leaves_no_result_and_no_zero(machine):
    hand_in(machine)
    (machine / "results").mkdir()
    (machine / "results/results.json").write_text('{"score": 1}', "utf-8")  # of an earlier run
    (machine / "source/assignment.toml").write_text("[points]\n", "utf-8")

    ended = run(machine)

    assert ended.returncode != 0
    assert not (machine / "results/results.json").exists()


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
def test_results_are_out_of_the_workers_reach(machine):
    hand_in(machine)
    run(machine)

    assert stat.S_IMODE((machine / "results").stat().st_mode) == 0o700


def test_wrong_settings_are_told_before_anything_is_packed(tmp_path):
    (tmp_path / "bad.toml").write_text("[points]\nnothing = 1\n", "utf-8")

    ended = grader("package", "gradescope", "-o", tmp_path / "a.zip", "--assignment", tmp_path / "bad.toml")

    assert ended.returncode == 2
    assert "bad.toml" in ended.stderr
    assert not (tmp_path / "a.zip").exists()
