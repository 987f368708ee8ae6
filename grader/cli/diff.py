"""``grader diff OLD NEW``: whose grade changed between two runs of a class, and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.batch.diff import Change, Side, changes
from grader.report.summary import Entry

WORDS = {
    "en": {
        "none": "No grade changed.",
        "count": "{count} changed.",
        "submission": "another submission",
        "assignment": "the assignment's settings changed",
        "grader": "the grader changed",
        "check": "a check changed",
        "seed": "another seed",
        "device": "another device",
        "image": "another image",
        "infrastructure": "trouble of ours in one of the runs",
        "flaky": "nothing differs: the submission answers differently from run to run",
        "absent": "absent",
        "ungraded": {"infrastructure": "not graded", "unreadable": "unreadable", "missing": "missing"},
    },
    "zh": {
        "none": "没有成绩变化。",
        "count": "共有 {count} 处变化。",
        "submission": "提交不同",
        "assignment": "作业设置有变化",
        "grader": "评分器有变化",
        "check": "检查项有变化",
        "seed": "随机种子不同",
        "device": "设备不同",
        "image": "镜像不同",
        "infrastructure": "其中一次运行出了与提交无关的故障",
        "flaky": "条件完全相同：该提交每次运行的结果不一致",
        "absent": "不在其中",
        "ungraded": {"infrastructure": "未评分", "unreadable": "无法读取", "missing": "未提交"},
    },
}
_MOST_CHECKS = 6


def run(old: Path, new: Path, language: str, console: Console) -> int:
    """Print a line a change; returns 0. Raises UsageError."""
    words = WORDS[language]
    found = list(changes(Side(old), Side(new)))
    for change in found:
        console.print(Text(_line(change, words)), soft_wrap=True)
    sentence = str(words["count"]).format(count=len(found)) if found else str(words["none"])
    console.print(Text(sentence, style="bold"))
    return 0


def _line(change: Change, words: Mapping[str, object]) -> str:
    why = ", ".join(str(words[one]) for one in change.why)
    more = len(change.checks) - _MOST_CHECKS
    checks = " ".join(change.checks[:_MOST_CHECKS]) + (f" +{more}" if more > 0 else "")
    grades = f"{_grade(change.before, words)} -> {_grade(change.after, words)}"
    return f"{change.id}  {grades}  ({why})" + (f"  {checks}" if checks else "")


def _grade(entry: Entry | None, words: Mapping[str, object]) -> str:
    if entry is None:
        return str(words["absent"])
    ungraded = words["ungraded"]
    assert isinstance(ungraded, dict)  # noqa: S101 - see WORDS
    return str(entry.score) if entry.state == "graded" else str(ungraded[entry.state])
