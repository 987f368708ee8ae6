"""``grader init``: what it writes, what it leaves alone, and that an installed copy can do it too."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from command_line import environment, grader

from grader import template
from grader.errors import UsageError

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "submissions_template"


def contents(folder):
    paths = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.parametrize("where", ["hw", "courses/lm/hw", "."])
def test_the_folder_holds_the_template_byte_for_byte(tmp_path, where):
    written = template.write(tmp_path / where)

    assert contents(tmp_path / where) == contents(TEMPLATE)
    assert sorted(written) == sorted(contents(TEMPLATE))


def test_what_else_lies_in_the_folder_stays(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")

    template.write(tmp_path)

    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert (tmp_path / "assignment1" / "norm.py").is_file()


@pytest.mark.parametrize("name", ["README.md", "assignment1/rope.py", "assignment1/my_own.py"])
def test_nothing_is_overwritten_and_nothing_is_added(tmp_path, name):
    mine = tmp_path / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")

    with pytest.raises(UsageError, match=f"nothing was written: .* already has {name.split('/')[0]}; give another"):
        template.write(tmp_path)

    assert contents(tmp_path) == {name: b"mine"}


def test_all_that_is_in_the_way_is_named(tmp_path):
    template.write(tmp_path)

    with pytest.raises(UsageError, match=r"already has README.md, assignment1, pytest.ini; give"):
        template.write(tmp_path)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_nothing_is_written_through_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw" / "assignment1").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "hw" / "README.md").symlink_to(tmp_path / "nowhere")

    with pytest.raises(UsageError, match=r"already has README\.md, assignment1;"):
        template.write(tmp_path / "hw")

    assert contents(tmp_path / "elsewhere") == {}


def test_a_file_where_the_folder_should_be_is_one_sentence(tmp_path):
    (tmp_path / "hw").write_text("mine")

    with pytest.raises(UsageError, match=r"cannot write .*hw"):
        template.write(tmp_path / "hw")

    assert (tmp_path / "hw").read_text() == "mine"


@pytest.mark.parametrize(
    ("language", "said"), [("en", "hw now holds 9 files."), ("zh", "hw 中已写入 9 个文件。")], ids=["en", "zh"]
)
def test_the_command_says_what_to_do_next(tmp_path, language, said):
    result = grader("init", "hw", "--lang", language, cwd=tmp_path)

    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == said
    assert "assignment1/norm.py" in result.stdout
    for command in ("grader check ", "grader check --watch ", "pytest "):
        assert f"\n  {command}" in result.stdout


def test_the_command_refuses_with_exit_code_2(tmp_path):
    (tmp_path / "README.md").write_text("mine")

    result = grader("init", ".", "--lang", "en", cwd=tmp_path)

    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "grader: nothing was written: . already has README.md; give another folder\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """What a wheel of this tree unpacks to."""
    pytest.importorskip("hatchling", reason="the build backend is not installed: pip install -e .[dev]")
    folder = tmp_path_factory.mktemp("wheel")
    program = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", program, folder], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    with zipfile.ZipFile(folder / built.stdout.split()[-1]) as wheel:
        assert not [name for name in wheel.namelist() if "__pycache__" in name]
        wheel.extractall(folder / "site")
    return folder / "site"


def test_an_installed_copy_brings_the_template_along(installed, tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "grader", "init", "hw", "--lang", "en"],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(installed), PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (result.returncode, result.stderr) == (0, "")
    assert contents(tmp_path / "hw") == contents(TEMPLATE)
    assert contents(installed / "grader" / "submissions_template") == contents(TEMPLATE)


def test_a_copy_without_the_template_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(template, "_PLACES", (tmp_path / "nowhere",))

    with pytest.raises(UsageError, match="has no template; install it again"):
        template.write(tmp_path / "hw")

    assert not (tmp_path / "hw").exists()
