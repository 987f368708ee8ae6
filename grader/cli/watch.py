"""``grader check --watch``: one whole run, and another whenever a file has changed, what matters most first."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from grader.cli import check
from grader.cli.changes import Changes
from grader.cli.check import CheckRequest, Job
from grader.contract import MODULE_OF, PACKAGE
from grader.devices import CPU
from grader.errors import UsageError
from grader.intake.importers import changed_between, module_name, reached_from
from grader.intake.read import read
from grader.intake.submission import SubmissionFiles
from grader.report.models import Report
from grader.runners.kept import KeptRunner
from grader.sources import names_by_check, seed_for

WORDS = {
    "en": {
        "waiting": "Watching {path}: save a file to grade it again. Ctrl-C ends.",
        "changed": "Changed: {paths}",
        "first": "{count} of {total} checks first: those that failed last, and those of what changed.",
        "everything": "Everything passes: {total} of {total} checks, score {score} of {most}.",
        "all": "All checks: {passed} of {total} pass.",
        "besides": "Fail now as well: {checks}",
        "not_graded": "NOT GRADED, through no fault of the submission: {error}",
        "unreadable": "Cannot be graded just now: {reason}",
        "ended": "Ended.",
    },
    "zh": {
        "waiting": "正在监视 {path}：保存文件后会重新检查，按 Ctrl-C 结束。",
        "changed": "已更改：{paths}",
        "first": "先运行 {total} 项检查中的 {count} 项：上次未通过的，以及与更改有关的。",
        "everything": "全部通过：{total} 项检查，得分 {score} / {most}。",
        "all": "全部检查：{total} 项中通过 {passed} 项。",
        "besides": "此外，现在未通过的还有：{checks}",
        "not_graded": "未评分，与提交无关：{error}",
        "unreadable": "暂时无法评分：{reason}",
        "ended": "已结束。",
    },
}
_MAX_NAMED = 6


def run(request: CheckRequest, console: Console) -> int:
    """Grade, and go on until Ctrl-C; returns 0. Raises UsageError."""
    if request.runner != "local":
        raise UsageError(f"--watch goes with the local runner, not with {request.runner}")
    if request.fail_under is not None:
        raise UsageError("--watch goes on until you end it, so there is no exit code for --fail-under")
    job = check.job_of(request)
    if job.devices != (CPU,):
        raise UsageError("--watch runs on the CPU: give --device to a run without it")
    submission = read(job.path)
    runner = KeptRunner(check.runner_of(request.runner, job.settings))
    runner.prepare()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            Watch(request, job, runner, console).go(submission)
    finally:
        runner.end()
    console.print(Text(WORDS[request.language]["ended"], style="dim"))
    return 0


class Watch:
    """What is known between two runs: which checks failed last, and which call what."""

    def __init__(self, request: CheckRequest, job: Job, runner: KeptRunner, console: Console) -> None:
        self._request, self._job, self._runner, self._console = request, job, runner, console
        self._words = WORDS[request.language]
        self._wanted = list(job.available) if job.selected is None else job.selected
        self._failed: set[str] = set()
        self._needs: Mapping[str, frozenset[str]] = {}

    def go(self, submission: SubmissionFiles) -> None:
        """The first run, then one for every change. Raises KeyboardInterrupt."""
        changes = Changes(self._job.path, submission)
        self._run_visibly(submission, self._wanted)
        self._needs = names_by_check(self._job.settings)
        while True:
            self._say("waiting", "dim", path=self._job.path)
            seen = changes.wait()
            if self._console.is_terminal:
                self._console.clear()
            if isinstance(seen, str):
                self._say("unreadable", "red", reason=seen)
                continue
            changed = changed_between(submission.files, seen.files)
            submission = seen
            self._say("changed", "bold", paths=_listed(sorted(changed)))
            self._run_again(submission, changed, changes)

    def _run_again(self, submission: SubmissionFiles, changed: set[str], changes: Changes) -> None:
        """What failed last and what calls a changed file, shown in full; then everything, in a line or two."""
        first = self._to_run_first(submission, changed)
        if len(first) == len(self._wanted):
            self._run_visibly(submission, first)
            return
        if first:
            self._say("first", "dim", count=len(first), total=len(self._wanted))
            self._run_visibly(submission, first)
            if changes.pending():
                return
        self._run_quietly(submission)

    def _to_run_first(self, submission: SubmissionFiles, changed: set[str]) -> list[str]:
        reached = {module_name(path) for path in reached_from(changed, submission.files)}
        names = {name for name, module in MODULE_OF.items() if f"{PACKAGE}.{module}" in reached}
        return [one for one in self._wanted if one in self._failed or self._needs[one] & names]

    def _run_visibly(self, submission: SubmissionFiles, checks: list[str]) -> None:
        is_whole = len(checks) == len(self._wanted)
        job = self._job if is_whole else replace(self._job, selected=checks, target=None, page=None)
        self._remember(check.graded(self._request, job, submission, self._runner, self._console))

    def _run_quietly(self, submission: SubmissionFiles) -> None:
        """Everything, for the numbers. Naming mistakes again takes longer than the checks: only a report needs it."""
        from grader.session import grade

        failed_before = set(self._failed)
        report = grade(
            submission,
            self._runner,
            self._job.settings,
            seed=seed_for(self._request.seed),
            selected=self._job.selected,
            naming=self._job.target is not None or self._job.page is not None,
        )
        self._remember(report)
        check.write_reports(report, self._job, self._request)
        self._summarize(report, failed_before)

    def _remember(self, report: Report) -> None:
        if report.graded:
            self._failed -= {one.id for one in report.checks}
            self._failed |= {one.id for one in report.checks if one.objects}

    def _summarize(self, report: Report, failed_before: set[str]) -> None:
        if not report.graded:
            self._say("not_graded", "yellow", error=report.error)
            return
        graded = [one for one in report.checks if one.is_graded]
        passed = sum(not one.objects for one in graded)
        if passed == len(graded):
            self._say("everything", "bold green", total=passed, score=report.score, most=report.max_score)
        else:
            self._say("all", "bold", passed=passed, total=len(graded))
        besides = [one.id for one in report.checks if one.id in self._failed - failed_before and not one.hidden]
        if besides:
            self._say("besides", "red", checks=_listed(besides))

    def _say(self, word: str, style: str, **arguments: object) -> None:
        self._console.print(Text(self._words[word].format(**arguments), style=style))


def _listed(names: list[str]) -> str:
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f", +{more}" if more > 0 else "")
