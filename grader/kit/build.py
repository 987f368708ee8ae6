"""Puts a kit together: the grader's public files, the template, an answer key; a folder or a zip of it."""

from __future__ import annotations

import importlib.metadata
import os
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import grader
from grader import template
from grader.errors import UsageError
from grader.key import facts
from grader.kit import contents, key, public
from grader.report import files
from grader.settings import Settings

NAME = "assignment1-kit"
MOST_BYTES = 5_000_000
_BY_CHECK = ("feedback/titles.zh.toml", "feedback/details.zh.toml")
_BY_MISTAKE = "feedback/mistakes.zh.toml"
_PYPROJECT = """\
# `pip install .` in this folder; or without installing `python -m grader check` in it.
[build-system]
requires = ["hatchling>=1.24"]
build-backend = "hatchling.build"

[project]
name = "assignment1-grader"
version = "{version}+kit"
description = "Student kit: the public checks of Assignment 1"
requires-python = ">=3.10"
dependencies = [
{dependencies}
]

[project.optional-dependencies]
notebook = ["nbformat>=5.10"]

[project.scripts]
grader = "grader.cli:main"

[project.entry-points.pytest11]
grader = "grader.pytest_entry"

[tool.hatch.build.targets.wheel]
packages = ["grader"]
"""
_README = """\
# 作业一：学生工具包 / Assignment 1: student kit

```
pip install .              # 在本文件夹里安装 / installs; or without installing:
python -m grader check     # 检查这里的 assignment1/ / checks the assignment1/ here
```

On Linux without a GPU, install PyTorch's CPU build first (see pytorch.org).
Without pip the kit needs these packages: {dependencies}.

工具包里有公开检查的输入和答案（固定种子 {seed}），没有参考解答。
The kit holds the inputs and answers of the public checks (seed {seed}), and no solution.
{hidden}
---

"""
_HIDDEN = """
另有 {count} 项检查（{points} 分）仅在正式评分时运行。
{count} more checks ({points} points) run only at grading.
"""


@dataclass(frozen=True)
class Built:
    """What was made.

    Attributes:
        size: bytes of the zip, or of all files of the folder.
    """

    path: Path
    checks: int
    hidden: int
    mistakes: int
    size: int
    seed: int


def require_free(target: Path) -> None:
    """Look before minutes of work. Raises UsageError when ``target`` is there or cannot be made."""
    if os.path.lexists(target):
        raise UsageError(f"nothing was written: {target} is there already; give another name")
    if not target.resolve().parent.is_dir():
        raise UsageError(f"no such folder for the kit: {target.resolve().parent}")


def build(target: Path, settings: Settings, seed: int, jobs: int, on_progress: key.OnProgress) -> Built:
    """Make a kit; it appears when it is whole.

    Args:
        target: a folder, or a file whose name ends with ``.zip``; neither may be there.
        seed: with which the inputs of its checks are drawn.

    Raises:
        UsageError: no public check, or the target cannot be written.
        GraderError: the key cannot be made.
    """
    require_free(target)
    checks = key.public(settings)
    if not checks:
        raise UsageError("this assignment hides every check: there is nothing that a kit could hold")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        key.write(made, settings, seed, jobs, on_progress)
        said = facts.read(made)
        data = {f"grader/key/{name}": (made / name).read_bytes() for name in (facts.FACTS, facts.TENSORS)}
    everything = {**_sources(settings, checks, said), **data, **_surroundings(settings, checks, said)}
    try:
        size = _write_zip(everything, target) if target.suffix == ".zip" else _write_folder(everything, target)
    except OSError as error:
        raise UsageError(f"the kit cannot be written to {target}: {error.strerror}") from None
    return Built(target, len(checks), said.hidden_checks, len(said.mistakes), size, seed)


def _sources(settings: Settings, checks: list[str], said: facts.KitFacts) -> dict[str, bytes]:
    """The grader's own files, with what students may know of them."""
    mistakes = {one.id for one in said.mistakes}
    found: dict[str, bytes] = {}
    for file in contents.files():
        if not contents.is_in(file):
            continue
        content: bytes | None = (contents.PACKAGE / file).read_bytes()
        if file.startswith("checks/check_"):
            text = public.check_file((contents.PACKAGE / file).read_text("utf-8"), checks)
            content = None if text is None else text.encode()
        elif file in _BY_CHECK or file == _BY_MISTAKE:
            wanted = mistakes if file == _BY_MISTAKE else set(checks)
            content = public.translations((contents.PACKAGE / file).read_text("utf-8"), wanted).encode()
        if content is not None:
            found[f"grader/{file}"] = content
    found["grader/assignment.toml"] = public.assignment(settings, checks).encode()
    return found


def _surroundings(settings: Settings, checks: list[str], said: facts.KitFacts) -> dict[str, bytes]:
    """Template, README and how to install."""
    dependencies = _dependencies()
    hidden = _HIDDEN.format(count=said.hidden_checks, points=said.hidden_points) if said.hidden_checks else ""
    readme = _README.format(dependencies=", ".join(dependencies), seed=said.seed, hidden=hidden)
    listed = "\n".join(f"    {_toml(one)}," for one in dependencies)
    start = template.files()
    return {
        **start,
        **{f"grader/submissions_template/{path}": content for path, content in start.items()},
        "README.md": readme.encode() + start["README.md"],
        "pyproject.toml": _PYPROJECT.format(version=grader.__version__, dependencies=listed).encode(),
    }


def _dependencies() -> list[str]:
    """What the grader itself needs, without its extras."""
    required = importlib.metadata.requires("assignment1-grader") or []
    return [one for one in required if "extra ==" not in one]


def _toml(value: str) -> str:
    return "'" + value + "'" if '"' in value else '"' + value + '"'


def _write_zip(everything: Mapping[str, bytes], target: Path) -> int:
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with zipfile.ZipFile(temporary, "x", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path, content in sorted(everything.items()):
                # a fixed time: the same kit, the same bytes
                archive.writestr(
                    zipfile.ZipInfo(f"{NAME}/{path}", (2000, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED
                )
        files.write_bytes(temporary.read_bytes(), target)
    finally:
        temporary.unlink(missing_ok=True)
    return target.stat().st_size


def _write_folder(everything: Mapping[str, bytes], target: Path) -> int:
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        for path, content in everything.items():
            place = temporary / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        temporary.rename(target)
    except BaseException:  # whatever it was, no half kit stays; it is raised again
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return sum(len(content) for content in everything.values())
