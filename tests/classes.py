"""Small classes for tests of ``grader batch``: submissions from the bank, an assignment of a few checks, engines."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from concurrent.futures import Future
from pathlib import Path

import bank_loader
from command_line import environment

from grader import settings
from grader.batch.start import Begin, Started
from grader.batch.tasks import Result, Task, result_of
from grader.catalogue import all_checks
from grader.errors import Outcome
from grader.intake.bulk.handed_in import understand
from grader.intake.bulk.zip_source import open_source
from grader.report import json_file, results
from grader.report.models import Environment, Report, Timing

CHECKS = ("rope.frequencies", "rope.frequency-errors", "norm.rmsnorm-values")
SMALL = '[assignment]\ntitle = "Small"\n\n[points]\n' + "".join(f'"{check}" = 2\n' for check in CHECKS)
HERE = Environment(grader="g", grader_digest="d", python="3", torch="2", platform="p", cpu_capability="c", threads=1)


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def submissions(count: int) -> list[dict[str, str]]:
    """Correct ones and wrong ones, all different."""
    files = [dict(one.submission().files) for one in bank_loader.entries("wrong") if one.killed_by & set(CHECKS)]
    files = [dict(bank_loader.base().files), *files]
    return [{**files[at % len(files)], "assignment1/extra.py": f"NUMBER = {at}\n"} for at in range(count)]


def make_class(folder: Path, count: int) -> Path:
    """A folder of ``count`` archives, 1000.zip and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for at, files in enumerate(submissions(count)):
        (folder / f"{1000 + at}.zip").write_bytes(zipped(files))
    return folder


def small_assignment(folder: Path, text: str = SMALL) -> Path:
    path = folder / "small.toml"
    path.write_text(text, "utf-8")
    return path


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "grader", *map(str, arguments)]


def grader(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    return subprocess.run(
        command(*arguments),
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(**variables),
        timeout=280,
    )


def grades(run: Path) -> dict[str, tuple]:
    """What a run says of each student, without what may differ from run to run."""
    entries = json.loads((run / "summary.json").read_text("utf-8"))["submissions"]
    return {one["id"]: (one["state"], one["score"], one["checks"], one["mistakes"]) for one in entries}


def passing_report(task: Task, outcomes: dict[str, Outcome]) -> Report:
    """A report in which every check that the task selects passes, but for ``outcomes``."""
    loaded = settings.Settings.model_validate_json(task.settings)
    wanted = [check for check in all_checks() if check in (task.selected or loaded.points)]
    found = [results.not_run(all_checks()[check], loaded) for check in wanted]
    for check in found:
        check.outcome = outcomes.get(check.id, Outcome.PASS)
    return Report(
        assignment=loaded.assignment.title,
        submission=results.submission_of(task.submission()),
        environment=HERE,
        runner=task.runner,
        trusted=False,
        isolation="plain",
        trust={"en": "x", "zh": "x"},
        device=task.device,
        seed=task.seed,
        selected=sorted(task.selected or []),
        mistakes=[],
        checks=found,
        timing=Timing(started="now", total=1.0, diagnosis=0.0, checks={}),
    )


class FakeEngine:
    """Answers at once, without processes.

    Attributes:
        asked: (name, selected) of every task.
        trouble: by name of a submission, errors for its first tries.
        outcomes: by name of a submission, outcomes other than pass.
        gone: why the engine has gone, once ``gone_after`` tasks were asked.
    """

    name = "fake"

    def __init__(self, jobs: int = 2) -> None:
        self.jobs = jobs
        self.asked: list[tuple[str, list[str] | None]] = []
        self.trouble: dict[str, list[object]] = {}
        self.outcomes: dict[str, dict[str, Outcome]] = {}
        self.gone_after: int | None = None

    def submit(self, task: str) -> Future[str]:
        asked = Task.model_validate_json(task)
        self.asked.append((asked.name, asked.selected))
        future: Future[str] = Future()
        trouble = self.trouble.get(asked.name)
        if trouble:
            error = trouble.pop(0)
            if isinstance(error, Exception):
                future.set_exception(error)
            else:
                future.set_result(Result(error=str(error)).model_dump_json())
            return future
        report = passing_report(asked, self.outcomes.get(asked.name, {}))
        future.set_result(result_of(report, json_file.to_json(report), None).model_dump_json())
        return future

    def is_gone(self) -> str | None:
        gone = self.gone_after is not None and len(self.asked) >= self.gone_after
        return "it was pulled out" if gone else None


class Runs:
    """Runs of one class in one process, with a fake engine."""

    def __init__(self, source: Path, assignment: Path) -> None:
        self._source, self._assignment = source, assignment
        self.engine = FakeEngine()

    def go(self, folder: Path, *, resume: bool = False, told: list | None = None, **changes: object):
        source = open_source(self._source)
        values = {
            "folder": folder,
            "settings": settings.load(self._assignment, all_checks()),
            "seed": None,
            "runner": "local",
            "image": "",
            "device": "cpu",
            "language": "en",
            "page": False,
            "resume": resume,
            "shard": None,
        }
        try:
            known = understand(source, None, None)
            started = Started(Begin(**{**values, **changes}), known, source, has_roster=False, fresh_seed=5)
            try:
                return started.go(self.engine, (told if told is not None else []).append)
            finally:
                started.journal.close()
        finally:
            source.close()
