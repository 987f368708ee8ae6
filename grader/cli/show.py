"""``grader list`` and ``grader explain``: the catalogue in words, without running anything."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.catalogue import CheckInfo, all_checks
from grader.cli.select import unknown
from grader.contract import section_title
from grader.feedback.messages import detail, title
from grader.settings import Settings

_COLUMNS = {"en": ("points", "check", "section", "promise"), "zh": ("分数", "检查", "小节", "要求")}

WORDS = {
    "en": {
        "advice": "advice",
        "total": "{points} points in {checks} checks",
        "with_gpu": "with a GPU (--device cuda or cpu,cuda) {points} more in {checks} checks",
        "worth": "points: {points}",
        "worth_advice": "advice, no points",
        "worth_nothing": "does not run",
        "section": "Section {section}: {title}",
        "alone": "Run it alone: grader check --only {id}",
        "hidden": "hidden check of section {section}",
    },
    "zh": {
        "advice": "建议",
        "total": "{checks} 项检查，共 {points} 分",
        "with_gpu": "有 GPU 时（--device cuda 或 cpu,cuda）另有 {checks} 项检查，共 {points} 分",
        "worth": "{points} 分",
        "worth_advice": "建议，不计分",
        "worth_nothing": "不运行",
        "section": "第 {section} 节：{title}",
        "alone": "单独运行：grader check --only {id}",
        "hidden": "第 {section} 节的隐藏检查",
    },
}


def print_list(console: Console, settings: Settings, language: str) -> None:
    """One line a check: points, id, promise; the sum at the end."""
    checks = {check: info for check, info in all_checks().items() if check in settings.worth}
    points, check_id, section, promise = _COLUMNS[language]
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column(points, justify="right")
    table.add_column(check_id, no_wrap=True)
    table.add_column(section)
    table.add_column(promise)
    for check, info in checks.items():
        worth = _say(language, "advice") if info.advice else str(settings.worth[check])
        table.add_row(worth, check, info.section, Text(_title(info, settings, language)))
    console.print(table)
    total = sum(settings.points.values())
    graded = sum(not info.advice for check, info in checks.items() if check in settings.points)
    console.print(Text(_say(language, "total", points=total, checks=graded)))
    if settings.device_points:
        more, on_gpu = sum(settings.device_points.values()), len(settings.device_points)
        console.print(Text(_say(language, "with_gpu", points=more, checks=on_gpu)))


def print_explanation(console: Console, id: str, settings: Settings, language: str) -> None:
    """The rule with its worked numbers. Raises UsageError for an unknown id."""
    checks = all_checks()
    if id not in checks:
        raise unknown(id, checks)
    info = checks[id]
    section = _say(language, "section", section=info.section, title=section_title(info.section, language))
    console.print(Text(f"{id}  ({_worth(info, settings, language)})", style="bold"))
    console.print(Text(_title(info, settings, language)))
    console.print(Text(f"\n{section}", style="cyan"))
    if info.detail and not settings.is_hidden(id):
        console.print(Text("\n" + detail(id, info.detail, language)))
    console.print(Text("\n" + _say(language, "alone", id=id)))


def _worth(info: CheckInfo, settings: Settings, language: str) -> str:
    if info.id not in settings.worth:
        return _say(language, "worth_nothing")
    if info.advice:
        return _say(language, "worth_advice")
    return _say(language, "worth", points=settings.worth[info.id])


def _title(info: CheckInfo, settings: Settings, language: str) -> str:
    if settings.is_hidden(info.id):
        return _say(language, "hidden", section=info.section)
    return title(info.id, info.title, language)


def _say(language: str, word: str, **arguments: object) -> str:
    return WORDS[language][word].format(**arguments)
