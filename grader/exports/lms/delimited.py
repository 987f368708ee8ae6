"""A delimited file whose cells can be replaced while every other byte stays as it is."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field

from grader.errors import UsageError

_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_WITHOUT_BOM = ("utf-8", "gb18030")  # what Excel on a Chinese Windows writes is the second
_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True)
class Cell:
    """One cell: where it stands in the text, quotes included, and what it says."""

    start: int
    end: int
    value: str


@dataclass
class Delimited:
    """A file of rows.

    Attributes:
        bom: the bytes before the text.
        rows: of cells; empty lines are no rows.
    """

    bom: bytes
    encoding: str
    text: str
    delimiter: str
    rows: list[list[Cell]]
    _new: dict[int, tuple[Cell, str]] = field(default_factory=dict)

    def replace(self, cell: Cell, value: str) -> None:
        """Let ``cell`` say ``value``."""
        self._new[cell.start] = (cell, value)

    def to_bytes(self) -> bytes:
        """The file with what was replaced. Raises UsageError when its encoding cannot say it."""
        parts, position = [], 0
        for start in sorted(self._new):
            cell, value = self._new[start]
            parts += [self.text[position : cell.start], self._written(cell, value)]
            position = cell.end
        text = "".join([*parts, self.text[position:]])
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError:
            raise UsageError(f"the template is in {self.encoding}, which cannot hold the new text") from None

    def _written(self, cell: Cell, value: str) -> str:
        quoted = self.text[cell.start : cell.start + 1] == '"'
        special = any(character in value for character in (self.delimiter, '"', "\n", "\r"))
        return '"' + value.replace('"', '""') + '"' if quoted or special else value


def parse(content: bytes, name: str) -> Delimited:
    """Read a file. Raises UsageError: it is no text, or has no rows."""
    bom = next((mark for mark in _BOMS if content.startswith(mark)), b"")
    for encoding in [_BOMS[bom]] if bom else _WITHOUT_BOM:
        try:
            text = content[len(bom) :].decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            break
    else:
        raise UsageError(f"{name} is no CSV file in UTF-8, UTF-16 or GBK; export it again as CSV")
    readings = {delimiter: _rows(text, delimiter) for delimiter in _DELIMITERS}
    delimiter = max(readings, key=lambda one: _regular(readings[one]))
    rows = readings[delimiter]
    if len(rows) < 2:
        raise UsageError(f"{name} has no rows below its header")
    return Delimited(bom, encoding, text, delimiter, rows)


def _regular(rows: list[list[Cell]]) -> tuple[float, int]:
    """How much it looks like a table: the share of rows as wide as the header, and how wide that is."""
    width = len(rows[0])
    return sum(len(row) == width for row in rows) / len(rows) if width > 1 else 0.0, width


def _rows(text: str, delimiter: str) -> list[list[Cell]]:
    """All rows, as Python's csv module reads them."""
    rows: list[list[Cell]] = []
    row: list[Cell] = []
    position = 0
    while position < len(text):
        cell, position = _cell(text, position, delimiter)
        row.append(cell)
        if text[position : position + 1] == delimiter:
            position += 1
            if position < len(text):
                continue
            row.append(Cell(position, position, ""))  # the file ends with a delimiter
        position += 2 if text.startswith("\r\n", position) else 1
        if len(row) > 1 or row[0].start < row[0].end:
            rows.append(row)
        row = []
    return rows or [[]]


def _cell(text: str, start: int, delimiter: str) -> tuple[Cell, int]:
    """The cell at ``start``, and where it ends."""
    position, value = start, ""
    if text[start : start + 1] == '"':
        position += 1
        while True:
            close = text.find('"', position)
            if close < 0:  # never closed: to the end, as csv reads it
                return Cell(start, len(text), value + text[position:]), len(text)
            value += text[position:close]
            position = close + 1
            if text[position : position + 1] != '"':
                break
            value += '"'
            position += 1
    ends = [found for mark in (delimiter, "\n", "\r") if (found := text.find(mark, position)) >= 0]
    end = min(ends, default=len(text))
    return Cell(start, end, value + text[position:end]), end
