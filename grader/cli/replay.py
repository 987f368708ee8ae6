"""``grader replay report.json``: the same submission and seed again, and whether the report comes out the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader import settings
from grader.batch.replay import Difference, differences, environment_differences, from_run, read_report
from grader.catalogue import all_checks
from grader.cli.check import runner_of
from grader.devices import gpus_in, parse
from grader.errors import GraderError, UsageError
from grader.intake.read import read
from grader.intake.submission import SubmissionFiles
from grader.report.models import Report
from grader.runners import gpus
from grader.text import clean

DIFFERS = 1
WORDS = {
    "en": {
        "same": "The same: every byte outside timing. Score {score} of {most}, seed {seed}.",
        "differs": "Not the same: {count} differences.",
        "environment": "What differs in the environment, and may explain it:",
        "alike": "Nothing differs in the environment: the submission itself answers differently from run to run.",
        "other": "Other environment, same report:",
        "more": "... and {count} more",
    },
    "zh": {
        "same": "完全一致：除 timing 外逐字节相同。得分 {score} / {most}，随机种子 {seed}。",
        "differs": "不一致：共有 {count} 处不同。",
        "environment": "环境中的不同之处，可能是原因：",
        "alike": "环境没有不同：该提交自身每次运行的结果不一致。",
        "other": "环境不同，报告相同：",
        "more": "……另有 {count} 处",
    },
}
_MOST, _LONGEST = 20, 80


def run(report: Path, submission: Path | None, assignment: Path | None, language: str, console: Console) -> int:
    """Grade again and compare; 0 when it is the same, 1 when it differs. Raises UsageError, GraderError."""
    from grader.session import Place, grade

    before = read_report(report)
    files, loaded = _what(report, before, submission, assignment)
    if files.digest != before.submission.digest:
        raise UsageError(
            f"this is another submission: its digest is {files.digest[:12]}..., the report's is"
            f" {before.submission.digest[:12]}..."
        )
    if before.seed is None:
        raise UsageError(f"{report} is what students may see, without its seed: replay needs the full report")
    if before.runner not in ("local", "docker"):
        raise UsageError(f"a report of the runner {before.runner!r} cannot be replayed: nothing of it was kept")
    if before.seed is None:
        raise UsageError(f"{report} is what a student may see: the seed was left out; take the instructor's report")
    devices = parse(before.device)
    gpus.needed(gpus_in(devices))
    first, *further = [Place(device, runner_of(before.runner, loaded, device)) for device in devices]
    first.runner.prepare()
    after = grade(
        files,
        first.runner,
        loaded,
        seed=before.seed,
        device=first.device,
        also=further,
        selected=before.selected or None,
    )
    if after.error is not None and before.error is None:
        raise GraderError(after.error)
    return _tell(before, after, language, console)


def _what(
    report: Path, before: Report, submission: Path | None, assignment: Path | None
) -> tuple[SubmissionFiles, settings.Settings]:
    kept = from_run(report, before)
    if submission is None and kept is None:
        raise UsageError(f"{report} lies in no run's folder: give the submission too")
    files = read(submission) if submission is not None else kept[0] if kept is not None else None
    assert files is not None  # noqa: S101 - one of the two is there
    if assignment is None and kept is not None:
        return files, kept[1]
    return files, settings.load(assignment, all_checks())


def _tell(before: Report, after: Report, language: str, console: Console) -> int:
    words = WORDS[language]
    found, around = differences(before, after), environment_differences(before, after)
    if not found:
        sentence = words["same"].format(score=after.score, most=after.max_score, seed=after.seed)
        console.print(Text(sentence, style="bold green"), soft_wrap=True)
        if around:
            _list(console, words["other"], around, words)
        return 0
    _list(console, words["differs"].format(count=len(found)), found, words)
    if around:
        _list(console, words["environment"], around, words)
    else:
        console.print(Text(words["alike"], style="yellow"), soft_wrap=True)
    return DIFFERS


def _list(console: Console, title: str, found: Sequence[Difference], words: dict[str, str]) -> None:
    console.print(Text(title, style="bold"), soft_wrap=True)
    for one in found[:_MOST]:
        console.print(Text(f"  {one.path}: {_short(one.before)} -> {_short(one.after)}"), soft_wrap=True)
    if len(found) > _MOST:
        console.print(Text("  " + words["more"].format(count=len(found) - _MOST)))


def _short(value: object) -> str:
    return clean(value, _LONGEST).replace("\n", " ")
