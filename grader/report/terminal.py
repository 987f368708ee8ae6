"""What the terminal shows: a line for every finished check, then what failed and why, then the score.

Student text is shown through ``Text`` objects, never as markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.contract import TITLES, section_title
from grader.errors import Outcome
from grader.report.models import CheckResult, NamedMistake, Report

_MARKS = {
    Outcome.PASS: ("\N{CHECK MARK}", "ok", "green"),
    Outcome.CARRIED_FORWARD: ("\N{RIGHTWARDS ARROW}", ">", "cyan"),
    Outcome.SKIPPED: ("-", "-", "dim"),
    Outcome.GRADER_ERROR: ("?", "?", "yellow"),
}
_FAILED = ("\N{BALLOT X}", "X", "red")
_ADVICE = ("!", "!", "yellow")
_NO_VERDICT = (Outcome.NOT_RUN, Outcome.GRADER_ERROR)

WORDS = {
    "en": {
        "score": "Score",
        "of": "of",
        "only": "of the selected checks",
        "advice": "Advice (no points)",
        "next": "Next: grader explain {id}    again: grader check --only {id}",
        "passed": "{passed} of {total} checks pass",
        "passed_public": "{passed} of {total} public checks pass",
        "more": "; {count} more run only at grading",
        "naming_error": "\nMistakes could not be named, through a fault of the grader; the points are right. ({error})",
        "not_graded": "NOT GRADED, through no fault of the submission: {error}",
        "printed": "The submission printed:",
        "hidden": "a hidden check of section {section}",
        "section": "Section {section}",
        "seed": "seed {seed}",
        "mistake": "Mistake",
        "also": "{count} more checks fail because of it",
        "costless": "{count} more checks fail only because of it and cost nothing",
        "carried": ", {count} more are carried forward",
        "around": "{count} checks are right but for your own part ({parts}), and cost nothing",
    },
    "zh": {
        "score": "得分",
        "of": "/",
        "only": "（仅所选检查）",
        "advice": "建议（不计分）",
        "next": "下一步：grader explain {id}    单独重跑：grader check --only {id}",
        "passed": "{total} 项检查中通过 {passed} 项",
        "passed_public": "{total} 项公开检查中通过 {passed} 项",
        "more": "；另有 {count} 项仅在正式评分时运行",
        "naming_error": "\n由于评分器自身的故障，无法指出具体错误；分数不受影响。（{error}）",
        "not_graded": "未评分，与提交无关：{error}",
        "printed": "提交的程序打印了：",
        "hidden": "第 {section} 节的隐藏检查",
        "section": "第 {section} 节",
        "seed": "种子 {seed}",
        "mistake": "错误",
        "also": "另有 {count} 项检查因此未通过",
        "costless": "另有 {count} 项检查仅因此未通过，不扣分",
        "carried": "，另有 {count} 项因错误延续不扣分",
        "around": "{count} 项检查仅因你自己的部件（{parts}）而不同，不扣分",
    },
}


class Progress:
    """One line for every finished check."""

    def __init__(self, console: Console, language: str, total: int) -> None:
        self._console, self._language, self._total, self._done = console, language, total, 0
        self._status = console.status("") if console.is_terminal else None
        self.printed = ""

    def __enter__(self) -> Progress:
        """Start the spinner where there is a terminal."""
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the spinner."""
        if self._status is not None:
            self._status.stop()

    def keep_printed(self, text: str) -> None:
        """Keep what the submission printed until the checks are shown."""
        self.printed = text

    def show(self, result: CheckResult) -> None:
        """Print one line."""
        self._done += 1
        self._console.print(_line(self._console, result, self._language))
        if self._status is not None:
            self._status.update(f"{self._done}/{self._total}")


def print_report(console: Console, report: Report, language: str, *, printed: str = "") -> None:
    """Print what failed and why, advice, points by section, and the score; no points at all when nothing was graded."""
    words = WORDS[language]
    if report.score is None:
        console.print(Text("\n" + words["not_graded"].format(error=report.error or "-"), style="bold red"))
        return
    for note in report.submission.notes:
        console.print(Text(f"\n{note.text[language]}", style="yellow"))
    failed = [check for check in report.checks if check.outcome not in (Outcome.PASS, Outcome.SKIPPED)]
    for mistake in report.mistakes:
        _print_mistake(console, mistake, {check.id: check for check in failed}, language)
    for check in failed:
        if not check.advice and not check.carried_from and not (check.finding and check.finding.mistakes):
            _print_finding(console, check, language)
    _print_carried(console, [check for check in failed if check.carried_from], language)
    if report.naming_error is not None:
        console.print(Text(words["naming_error"].format(error=report.naming_error), style="yellow"))
    advice = [check for check in failed if check.advice and check.finding]
    if advice:
        console.print(Text(f"\n{words['advice']}", style="yellow"))
        for check in advice:
            console.print(Text(f"  {check.id}: {_title(check, language)}"))
    if printed:
        console.print(Text(f"\n{words['printed']}\n{printed}", style="dim"))
    console.print()
    console.print(_by_section(report, language))
    console.print()
    passed = sum(check.outcome is Outcome.PASS and not check.advice for check in report.checks)
    carried = sum(check.outcome is Outcome.CARRIED_FORWARD for check in report.checks)
    total = sum(not check.advice for check in report.checks)
    partly = f" {words['only']}" if report.selected else ""
    console.print(Text(f"{words['score']} {report.score} {words['of']} {report.max_score}{partly}", style="bold"))
    if not report.trusted:
        console.print(Text(report.trust[language], style="dim"))
    more = words["carried"].format(count=carried) if carried else ""
    console.print(Text(f"{counted(report, passed, total, language)}{more} - {words['seed'].format(seed=report.seed)}"))


def counted(report: Report, passed: int, total: int, language: str) -> str:
    """How many checks pass, and how many a student kit does not hold."""
    words, hidden = WORDS[language], report.only_at_grading
    if not hidden:
        return words["passed"].format(passed=passed, total=total)
    return words["passed_public"].format(passed=passed, total=total) + words["more"].format(count=hidden)


def _print_carried(console: Console, checks: Sequence[CheckResult], language: str) -> None:
    """A line for each set of parts: the checks whose own code is right around them."""
    for parts in dict.fromkeys(tuple(check.carried_from) for check in checks):
        names = [check.id for check in checks if tuple(check.carried_from) == parts]
        told = WORDS[language]["around"].format(count=len(names), parts=", ".join(parts))
        console.print(Text(f"\n{told}: {', '.join(names)}", "dim"))


def _print_mistake(console: Console, mistake: NamedMistake, failed: Mapping[str, CheckResult], language: str) -> None:
    """The sentence, the first check that shows it with its numbers, and the names of the others."""
    words = WORDS[language]
    shown = [failed[check] for check in mistake.checks if check in failed and not failed[check].hidden]
    console.print()
    console.print(Text(f"{words['mistake']}: {mistake.text[language]}  [{mistake.id}]", style="bold red"))
    if not shown:
        return
    first, *others = sorted(shown, key=lambda one: one.outcome is Outcome.CARRIED_FORWARD)
    _print_finding(console, first, language, under_mistake=True)
    carried = [one for one in others if one.outcome is Outcome.CARRIED_FORWARD]
    for word, checks in (("also", [one for one in others if one not in carried]), ("costless", carried)):
        if checks:
            console.print(
                Text(f"  {words[word].format(count=len(checks))}: {', '.join(one.id for one in checks)}", "dim")
            )


def _print_finding(console: Console, check: CheckResult, language: str, *, under_mistake: bool = False) -> None:
    words = WORDS[language]
    _, _, style = _FAILED
    if not under_mistake:
        console.print()
    if check.hidden:
        console.print(Text(words["hidden"].format(section=check.section), style=style))
        return
    head = f"{check.id}  ({check.points}/{check.max_points}, {check.outcome})"
    console.print(Text(head if not under_mistake else f"  {head}", style=style if under_mistake else f"bold {style}"))
    console.print(Text(f"  {words['section'].format(section=check.section)}: {check.title[language]}"))
    if check.finding is not None:
        case = f" [{check.finding.case}]" if check.finding.case else ""
        console.print(Text(f"  {check.finding.text[language]}{case}"))
        for name, fact in check.finding.evidence.items():
            if name.startswith("where: "):
                console.print(Text(f"    {name.removeprefix('where: ')}: {fact}", "dim"))
        for frame in check.finding.frames[-3:]:
            console.print(Text(f"    {frame.file}:{frame.line} in {frame.function or '<module>'}: {frame.text}", "dim"))
    console.print(Text(f"  {words['next'].format(id=check.id)}", style="dim"))


def _line(console: Console, result: CheckResult, language: str) -> Text:
    mark, plain, style = _MARKS.get(result.outcome, _ADVICE if result.advice else _FAILED)
    shown = mark if _can_show(console, mark) else plain
    blank = result.advice or result.outcome in _NO_VERDICT
    points = "      " if blank else f"{result.points:>2}/{result.max_points:<2} "
    return Text.assemble((f"{shown:<2} ", style), points, (f"{result.id}  ", "bold"), _title(result, language))


def _title(check: CheckResult, language: str) -> str:
    """The promise; of a hidden check its section only."""
    return WORDS[language]["hidden"].format(section=check.section) if check.hidden else check.title[language]


def _by_section(report: Report, language: str) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for section in TITLES:
        checks = [check for check in report.checks if check.section == section and not check.advice]
        if checks:
            points = sum(check.points for check in checks)
            most = sum(check.max_points for check in checks)
            table.add_row(section, section_title(section, language), f"{points}/{most}")
    return table


def _can_show(console: Console, text: str) -> bool:
    try:
        text.encode(console.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
