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
from grader.feedback.facts import in_every_language
from grader.feedback.outcomes import OUTCOMES, on_devices
from grader.report.models import CheckResult, NamedMistake, Report
from grader.report.student_view import everything_shown, for_students
from grader.report.terminal_words import WORDS
from grader.report.worked import Examples

_MARKS = {
    Outcome.PASS: ("\N{CHECK MARK}", "ok", "green"),
    Outcome.CARRIED_FORWARD: ("\N{RIGHTWARDS ARROW}", ">", "cyan"),
    Outcome.SKIPPED: ("-", "-", "dim"),
    Outcome.BLOCKED: ("\N{MIDDLE DOT}", ".", "dim"),
    Outcome.GRADER_ERROR: ("?", "?", "yellow"),
}
_FAILED = ("\N{BALLOT X}", "X", "red")
_ADVICE = ("!", "!", "yellow")
_MOST_LISTED = 8
_NO_VERDICT = (Outcome.NOT_RUN, Outcome.GRADER_ERROR)


class Progress:
    """One line for every finished check."""

    def __init__(self, console: Console, language: str, total: int, *, full: bool = False) -> None:
        self._console, self._language, self._total, self._done, self._full = console, language, total, 0, full
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
        shown = result.model_copy(update={"hidden": result.hidden and not self._full})
        self._console.print(_line(self._console, shown, self._language))
        if self._status is not None:
            self._status.update(f"{self._done}/{self._total}")


def print_report(console: Console, report: Report, language: str, *, printed: str = "", full: bool = False) -> None:
    """Print what failed and why, advice, points by section, and the score; no points at all when nothing was graded.

    Args:
        full: also what the assignment keeps from students.
    """
    words = WORDS[language]
    report = everything_shown(report) if full else for_students(report)
    if report.score is None:
        console.print(Text("\n" + words["not_graded"].format(error=report.error or "-"), style="bold red"))
        return
    for note in report.submission.notes:
        console.print(Text(f"\n{note.text[language]}", style="yellow"))
    failed = [check for check in report.checks if check.objects]
    examples = Examples(console, language)
    for mistake in report.mistakes:
        _print_mistake(console, mistake, {check.id: check for check in failed}, language, examples)
    for check in failed:
        explained = check.carried_from or check.blocked_by or (check.finding and check.finding.mistakes)
        if not check.advice and not explained:
            _print_finding(console, check, language, examples)
    _print_together(console, "around", {check.id: check.carried_from for check in failed}, language)
    _print_together(console, "blocked", {check.id: check.blocked_by for check in failed}, language)
    for word, fault in (("naming_error", report.naming_error), ("examples_error", report.examples_error)):
        if fault is not None:
            console.print(Text(words[word].format(error=fault), style="yellow"))
    advice = [check for check in failed if check.advice and check.finding]
    if advice:
        console.print(Text(f"\n{words['advice']}", style="yellow"))
        for check in advice:
            console.print(Text(f"  {check.id}{words['colon']}{_title(check, language)}"))
    skipped = [check.id for check in report.checks if check.outcome is Outcome.SKIPPED]
    if skipped:
        console.print(
            Text(f"\n{words['no_device'].format(count=len(skipped))}{words['colon']}{_listed(skipped)}", "dim")
        )
    if printed:
        console.print(Text(f"\n{words['printed']}\n{printed}", style="dim"))
    console.print()
    console.print(_by_section(report, language))
    console.print()
    passed = sum(check.outcome is Outcome.PASS and not check.advice for check in report.checks)
    carried = sum(check.outcome is Outcome.CARRIED_FORWARD for check in report.checks)
    total = sum(check.is_graded for check in report.checks)
    partly = f" {words['only']}" if report.selected else ""
    console.print(Text(f"{words['score']} {report.score} {words['of']} {report.max_score}{partly}", style="bold"))
    if not report.trusted:
        console.print(Text(report.trust[language], style="dim"))
    blocked = sum(check.outcome is Outcome.BLOCKED for check in report.checks)
    more = words["carried"].format(count=carried) if carried else ""
    more += words["are_blocked"].format(count=blocked) if blocked else ""
    seed = "" if report.seed is None else f" - {words['seed'].format(seed=report.seed)}"
    console.print(Text(f"{counted(report, passed, total, language)}{more}{seed}"))


def counted(report: Report, passed: int, total: int, language: str) -> str:
    """How many checks pass, and how many a student kit does not hold."""
    words, hidden = WORDS[language], report.only_at_grading
    if not hidden:
        return words["passed"].format(passed=passed, total=total)
    return words["passed_public"].format(passed=passed, total=total) + words["more"].format(count=hidden)


def _print_together(console: Console, word: str, parts_of: Mapping[str, Sequence[str]], language: str) -> None:
    """A line for each set of parts: the checks that fail only because of these parts."""
    words = WORDS[language]
    for parts in dict.fromkeys(tuple(parts) for parts in parts_of.values() if parts):
        names = [check for check, others in parts_of.items() if tuple(others) == parts]
        told = words[word].format(count=len(names), parts=", ".join(parts))
        console.print(Text(f"\n{told}{words['colon']}{_listed(names)}", "dim"))


def _print_mistake(
    console: Console,
    mistake: NamedMistake,
    failed: Mapping[str, CheckResult],
    language: str,
    examples: Examples,
) -> None:
    """The sentence, the first check that shows it with its numbers, and the names of the others."""
    words = WORDS[language]
    shown = [failed[check] for check in mistake.checks if check in failed and not failed[check].hidden]
    console.print()
    console.print(Text(f"{words['mistake']}{mistake.text[language]}  [{mistake.id}]", style="bold red"))
    if not shown:
        return
    first, *others = sorted(shown, key=lambda one: one.outcome is Outcome.CARRIED_FORWARD)
    _print_finding(console, first, language, examples, under_mistake=True)
    carried = [one for one in others if one.outcome is Outcome.CARRIED_FORWARD]
    for word, checks in (("also", [one for one in others if one not in carried]), ("costless", carried)):
        if checks:
            console.print(
                Text(
                    f"  {words[word].format(count=len(checks))}{words['colon']}{_listed([one.id for one in checks])}",
                    "dim",
                )
            )


def _listed(names: Sequence[str]) -> str:
    """The first few; all of them are marked above, and listed in report.json."""
    more = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f", +{more}" if more > 0 else "")


def _print_finding(
    console: Console, check: CheckResult, language: str, examples: Examples, *, under_mistake: bool = False
) -> None:
    """In the order in which it is read: what is wrong, numbers to redo, the section, the next step, the student's code.

    Args:
        under_mistake: the mistake's name stands above already, so what the check saw comes after the numbers.
    """
    words = WORDS[language]
    _, _, style = _FAILED
    if not under_mistake:
        console.print()
    if check.hidden:
        console.print(Text(words["hidden"].format(section=check.section), style=style))
        return
    head = f"{check.id}  ({check.points}/{check.max_points}, {OUTCOMES[check.outcome][language]})"
    if under_mistake:
        examples.show(check)
        console.print(Text(f"  {head}", style=style))
        _print_seen(console, check, language)
    else:
        console.print(Text(head, style=f"bold {style}"))
        _print_seen(console, check, language, why=True)
        examples.show(check)
    console.print(Text(f"  {words['section'].format(section=check.section)}{words['colon']}{check.title[language]}"))
    if check.finding is not None and check.finding.next:
        console.print(Text(f"  {check.finding.next[language]}"))
    console.print(Text(f"  {words['next'].format(id=check.id)}", style="dim"))
    for frame in check.finding.frames[-3:] if check.finding else []:
        console.print(Text(f"    {frame.file}:{frame.line} in {frame.function or '<module>'}: {frame.text}", "dim"))


def _print_seen(console: Console, check: CheckResult, language: str, *, why: bool = False) -> None:
    """What the check saw, why that may be, and where."""
    finding = check.finding
    if finding is None:
        return
    case = f" [{finding.case}]" if finding.case else ""
    console.print(Text(f"  {finding.text[language]}{case}"))
    if check.devices:
        console.print(Text(f"  {on_devices(check.devices)[language]}"))
    if why and finding.why:
        console.print(Text(f"  {WORDS[language]['why'].format(why=finding.why[language].rstrip('.。'))}"))
    for name, fact in finding.evidence.items():
        if name.startswith("where: "):
            told = in_every_language(name.removeprefix("where: "), str(fact))
            console.print(Text(f"    {told[language]}", "dim"))


def _line(console: Console, result: CheckResult, language: str) -> Text:
    mark, plain, style = _MARKS.get(result.outcome, _ADVICE if result.advice else _FAILED)
    shown = mark if _can_show(console, mark) else plain
    blank = result.advice or result.outcome in _NO_VERDICT
    points = "      " if blank else f"{result.points:>2}/{result.max_points:<2} "
    name = "" if result.hidden else f"{result.id}  "
    where = f"  [{', '.join(result.devices)}]" if result.devices else ""
    return Text.assemble((f"{shown:<2} ", style), points, (name, "bold"), _title(result, language), (where, "dim"))


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
