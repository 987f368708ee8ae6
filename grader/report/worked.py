"""A counter-example on the terminal: what goes in, yours beside right, and lines to run. Plain ASCII of our own."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.report.example import CounterExample, ExampleRow
from grader.report.models import CheckResult

WORDS = {
    "en": {
        "chapter": "The chapter's own numbers, which you can redo by hand:",
        "designed": "Small enough to redo by hand:",
        "shrunk": "The check's own input, cut down as far as it still fails:",
        "yours": "yours",
        "right": "right",
        "try": "To see it, in the folder that holds assignment1:",
        "same": "The same numbers as under {check}.",
    },
    "zh": {
        "chapter": "课程例题的数字，可以手算核对：",
        "designed": "足够小、可以手算的反例：",
        "shrunk": "由本项检查的输入缩减而来、仍然出错的反例：",
        "yours": "你的结果",
        "right": "正确结果",
        "try": "在含有 assignment1 的文件夹里运行，即可重现：",
        "same": "数字与 {check} 中的相同。",
    },
}
_MARK = "*"
"""Behind a wrong number: colour alone is lost in a file and to some eyes."""


class Examples:
    """Prints each counter-example once: several checks may have the same."""

    def __init__(self, console: Console, language: str) -> None:
        self._console, self._language = console, language
        self._shown: dict[str, str] = {}

    def show(self, check: CheckResult) -> None:
        """The numbers, or where they stand."""
        example = None if check.hidden or check.finding is None else check.finding.example
        if example is None:
            return
        before = self._shown.setdefault(example.snippet, check.id)
        if before == check.id:
            print_example(self._console, example, self._language)
        else:
            self._console.print(Text(f"  {WORDS[self._language]['same'].format(check=before)}", "dim"))


def print_example(console: Console, example: CounterExample, language: str, *, indent: int = 2) -> None:
    """Print the numbers as a small table, then the snippet as it is, so that it can be copied."""
    words, margin = WORDS[language], " " * indent
    console.print(Text(f"{margin}{words[example.source]}"))
    for given in example.inputs:
        dtype = "" if given.dtype in ("float32", "int64") else f" {given.dtype}"
        console.print(Text(f"{margin}  {given.name} {given.shape}{dtype} = {given.text}"), soft_wrap=True)
    console.print(Text(f"{margin}  {example.call}"), soft_wrap=True)
    console.print(_numbers(example, words, indent + 2))
    console.print(Text(f"{margin}{words['try']}", style="dim"))
    for line in example.snippet.splitlines():
        console.print(Text(f"{margin}  {line}", style="dim"), soft_wrap=True)


def _numbers(example: CounterExample, words: dict[str, str], indent: int) -> Table:
    """Two lines for every row of numbers, or two lines of text where there are none."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column()
    is_compared = bool(example.rows) and all(row.given for row in example.rows)
    if not is_compared:
        table.add_row(_name(words["yours"], indent), Text(example.given, style="red"))
        table.add_row(_name(words["right"], indent), Text(example.right))
        return table
    several = len(example.rows) > 1 or any(example.rows[0].at)
    for row in example.rows:
        place = f" {row.at}" if several else ""
        table.add_row(_name(words["yours"] + place, indent), *_cells(row))
        rights = ((Text(cell, justify="right"), Text()) for cell in row.right)
        table.add_row(_name(words["right"] + place, indent), *itertools.chain.from_iterable(rights))
    return table


def _cells(row: ExampleRow) -> Iterable[Text]:
    """The submission's numbers, each with a place for its mark; the wrong ones in red and marked."""
    for index, cell in enumerate(row.given):
        style = "bold red" if index in row.wrong else ""
        yield Text(cell, style=style, justify="right")
        yield Text(_MARK if style else "", style=style)


def _name(word: str, indent: int) -> Text:
    return Text(" " * indent + word)
