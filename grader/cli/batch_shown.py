"""How ``grader batch`` speaks: a bar with rate and time left on a terminal, else one line a submission."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from grader.report.summary import Entry

WORDS = {
    "en": {
        "graded": "{score} / {max}",
        "infrastructure": "not graded, our fault",
        "unreadable": "unreadable",
        "missing": "missing",
        "class": "grading",
        "rate": "a minute",
        "elapsed": "elapsed",
        "left": "left",
        "counts": "{graded} graded, {unreadable} unreadable, {missing} missing, {infrastructure} not graded",
        "resumed": "{count} were finished before, {regraded} partly or wholly graded again",
        "where": "Reports, grades.csv and summary.json are in {folder}",
        "quarantined": "Not graded after {tries} tries, through no fault of the submission: {ids}",
        "skipped": "Not read, for their names do not fit the layout {layout}: {names}",
        "layout": "{layout}: {count} students, seed {seed}",
        "go-on": "What is finished is safe: the same command with --resume goes on.",
    },
    "zh": {
        "graded": "{score} / {max}",
        "infrastructure": "未评分，与提交无关",
        "unreadable": "无法读取",
        "missing": "未提交",
        "class": "评分中",
        "rate": "份/分钟",
        "elapsed": "已用",
        "left": "剩余",
        "counts": "已评分 {graded} 份，无法读取 {unreadable} 份，未提交 {missing} 份，未评分 {infrastructure} 份",
        "resumed": "其中 {count} 份此前已评完，{regraded} 份部分或全部重新评分",
        "where": "报告、grades.csv 和 summary.json 在 {folder}",
        "quarantined": "试了 {tries} 次仍未能评分（与提交无关）：{ids}",
        "skipped": "文件名不符合 {layout} 的命名方式，未读取：{names}",
        "layout": "{layout}：{count} 名学生，随机种子 {seed}",
        "go-on": "已评完的都已保存：在同一命令后加 --resume 即可继续。",
    },
}


class Shown:
    """Progress: a bar with rate and time left on a terminal, else one line a submission."""

    def __init__(self, console: Console, language: str, total: int) -> None:
        self._console, self._words, self._language = console, WORDS[language], language
        self.total, self.done = total, 0
        self.states: Counter[str] = Counter()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(self._words["rate"]),
            TextColumn(self._words["elapsed"]),
            TimeElapsedColumn(),
            TextColumn(self._words["left"]),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(self._words["class"], total=total)

    def __enter__(self) -> Shown:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, entry: Entry) -> None:
        """One more is settled."""
        self.done += 1
        self.states[entry.state] += 1
        self._bar.advance(self._task)
        if not self._console.is_terminal or entry.state in ("infrastructure", "unreadable"):
            self._console.print(Text(self._line(entry)), soft_wrap=True)

    def _line(self, entry: Entry) -> str:
        number = f"[{self.done:>{len(str(self.total))}}/{self.total}]"
        verdict = self._words[entry.state].format(score=entry.score, max=entry.max_score)
        who = entry.id if entry.student.name in ("", entry.id) else f"{entry.id} {entry.student.name}"
        reason = f"  {entry.reason[self._language]}" if entry.reason else ""
        return f"{number} {who}  {verdict}  {entry.seconds:.1f} s{reason}"


class _Rate(ProgressColumn):
    """Submissions a minute."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """As in ProgressColumn."""
        return Text("" if task.speed is None else f"{60 * task.speed:.0f} {self._unit}")
