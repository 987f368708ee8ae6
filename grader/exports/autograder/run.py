"""One submission on Gradescope: find what was handed in, grade it, write ``results/results.json``.

Run as ``python -m grader.exports.autograder.run ROOT LANGUAGE``, where ROOT is ``/autograder``. Exit code 0 when there
is a result; with any other there is none, Gradescope says that the autograder failed, and nobody gets a score.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.errors import SubmissionError
from grader.intake.bulk.attempts import read_parts
from grader.intake.bulk.source import FolderSource
from grader.intake.read import read
from grader.intake.submission import NoPackage


def main(root: Path, language: str) -> int:
    """Grade ``root/submission``; returns the exit code."""
    results = root / "results"
    results.mkdir(exist_ok=True)
    results.chmod(0o700)  # the worker is another user
    target = results / "results.json"
    target.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        try:
            submission = handed_in(root / "submission", work)
        except SubmissionError as error:
            target.write_text(_nothing(str(error).replace(str(root / "submission"), "your submission")), "utf-8")
            return 0
        settings = root / "source" / "assignment.toml"
        own: list[str | Path] = ["--assignment", settings] if settings.is_file() else []
        report = work / "report.json"
        graded = _grader("check", submission, "--json", report, "--lang", language, *own)
        if graded != 0:
            return graded
        return _grader("export", report, "--to", "gradescope", "--out", target, "--lang", language)


def handed_in(folder: Path, work: Path) -> Path:
    """What is to be graded: the folder, or a folder in ``work`` with what was found in it.

    Gradescope unpacks archives, and takes single files without their folder: loose modules, a notebook.

    Raises:
        SubmissionError: there is nothing that can be graded.
    """
    try:
        read(folder)
    except NoPackage:
        found = read_parts(FolderSource(folder.parent).folder(folder.name), "your submission")
    else:
        return folder
    for path, text in found.files.items():
        file = work / "submission" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")
    return work / "submission"


def _nothing(sentence: str) -> str:
    """A result for what cannot be graded at all: there is nothing in it that could earn points, and it says why."""
    result = {
        "score": 0,
        "output": sentence,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
    }
    return json.dumps(result, ensure_ascii=False, indent=1) + "\n"


def _grader(*arguments: str | Path) -> int:
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own program, and no shell


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
