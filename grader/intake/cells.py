"""What of a notebook's cells belongs to the submission: what the assignment's names need, and nothing that only runs.

A notebook holds definitions between experiments: plots, training loops, files that are not there. Running it all would
fail on the first of them. Kept are ``def`` and ``class`` of the assignment's names, and from there on every ``def``,
``class``, ``import``, assignment, ``if`` and ``try`` that gives a name which something kept looks up. Loops, ``with``,
``assert``, ``del``, bare expressions and ``if __name__ == ...`` never are.
"""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grader.contract import MODULE_OF

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_MAGIC = re.compile(r"[%!?]|[\w., ]+=[ \t]*[%!]|[\w.]+\?{1,2}[ \t]*$")
_RUN_BY = ("%%time", "%%capture", "%%prun")  # magics of a whole cell that run it as it is


class UnreadableCell(Exception):
    """A cell that Python cannot parse.

    Args:
        line: in the cell, from 1; 0 where Python does not say.
    """

    def __init__(self, line: int, detail: str) -> None:
        super().__init__(f"line {line}: {detail}")
        self.line, self.detail = line, detail


@dataclass(frozen=True)
class Statement:
    """A statement at the top of a cell.

    Attributes:
        gives: names that it binds, or whose object it changes.
        needs: names that it looks up outside itself, now or when it is called.
    """

    node: ast.stmt
    gives: frozenset[str]
    needs: frozenset[str]

    @property
    def is_always_kept(self) -> bool:
        """Whether it acts on all code after it: ``from x import *`` and ``from __future__``."""
        return isinstance(self.node, ast.ImportFrom) and ("*" in self.gives or self.node.module == "__future__")


@dataclass(frozen=True)
class Cell:
    """A code cell; magics are replaced, so that its text is Python with the lines where they were."""

    number: int
    text: str
    statements: tuple[Statement, ...]


def require_text(source: str) -> None:
    """Raise UnreadableCell for what no source file can hold: half of a surrogate pair, or a NUL."""
    if "\0" in source or any("\ud800" <= character <= "\udfff" for character in source):
        raise UnreadableCell(0, "it is not plain text")


def parse(number: int, source: str) -> Cell:
    """Read the text of a code cell.

    Raises:
        UnreadableCell: it is no Python, with magics taken out or not.
    """
    text = _without_cell_magic(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the student's code: "\d" in a string and the like
            try:
                tree = ast.parse(text)
            except SyntaxError:
                text = _without_line_magics(text)  # only now: a line of valid Python may begin with %
                tree = ast.parse(text)
            statements = tuple(Statement(node, frozenset(_given(node)), frozenset(_needed(node))) for node in tree.body)
    except _UNPARSABLE as error:
        raise UnreadableCell(getattr(error, "lineno", 0) or 0, getattr(error, "msg", "") or "too deep") from None
    return Cell(number, text, statements)


def select(cells: Iterable[Cell]) -> dict[int, str]:
    """The text to run by cell number, in order, with lines where they are; empty: nothing was asked for."""
    cells = list(cells)
    statements = [statement for cell in cells for statement in cell.statements]
    givers: dict[str, list[Statement]] = {}
    for statement in statements:
        for name in statement.gives:
            givers.setdefault(name, []).append(statement)
    wanted = [name for name in givers if _is_asked_for(name)]
    if not wanted:
        return {}
    kept = {id(statement) for statement in statements if statement.is_always_kept}
    seen = set(wanted)
    while wanted:
        for statement in givers.get(wanted.pop(), ()):
            if id(statement) not in kept:
                kept.add(id(statement))
                wanted += statement.needs - seen
                seen |= statement.needs
    texts = {}
    for cell in cells:
        dropped = [statement.node for statement in cell.statements if id(statement) not in kept]
        if len(dropped) < len(cell.statements):
            texts[cell.number] = _with_pass(cell.text, dropped).rstrip("\n") + "\n"
    return texts


def _is_asked_for(name: str) -> bool:
    """Whether it is a name of the contract, or so near to one that the student should be asked about it."""
    return bool(difflib.get_close_matches(name[:100], MODULE_OF, n=1, cutoff=0.8))


def _given(node: ast.stmt) -> Iterator[str]:
    """Names that a statement binds, as far as such statements are kept."""
    if isinstance(node, _DEFINITIONS):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _roots(target)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        yield from _roots(node.target)
    elif isinstance(node, (ast.If, ast.Try)) and not _is_main(node):
        for inner in ast.iter_child_nodes(node):
            for statement in inner.body if isinstance(inner, ast.ExceptHandler) else (inner,):
                if isinstance(statement, ast.stmt):
                    yield from _given(statement)


def _roots(target: ast.expr) -> Iterator[str]:
    """``x`` for ``x``, ``x.y`` and ``x[0]``, and those of each part of a tuple."""
    while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
        target = target.value
    if isinstance(target, ast.Name):
        yield target.id
    for part in getattr(target, "elts", ()):
        yield from _roots(part)


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test)
    )


def _needed(node: ast.AST) -> set[str]:
    """Names that are looked up in the notebook's namespace; in doubt a name too many."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    names = set().union(*(_needed(child) for child in ast.iter_child_nodes(node)))
    if isinstance(node, _FUNCTIONS):
        outside = [node.args, node.returns, *node.decorator_list] if not isinstance(node, ast.Lambda) else [node.args]
        names -= _local(node)
        names |= set().union(*(_needed(part) for part in outside if part is not None))
    return names


def _local(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """Parameters, and what the body assigns."""
    local, shared = set(), set()
    for part in ast.walk(function):
        if isinstance(part, ast.arg):
            local.add(part.arg)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            local.add(part.id)
        elif isinstance(part, ast.Global):
            shared.update(part.names)
    return local - shared


def _without_cell_magic(source: str) -> str:
    """A ``%%magic`` in the first line that runs the cell is a blank line; another one empties the cell."""
    first, _, rest = source.lstrip("\n").partition("\n")
    if not first.startswith("%%"):
        return source
    if first.split()[0] not in _RUN_BY:
        return ""
    return "\n" * (len(source) - len(source.lstrip("\n")) + 1) + rest


def _without_line_magics(text: str) -> str:
    """``%magic``, ``!command``, ``x = !command`` and ``name?`` as ``pass``, with the lines that continue them."""
    lines, continues = [], False
    for line in text.split("\n"):
        plain = line.lstrip()
        if continues or _MAGIC.match(plain):
            lines.append("" if continues else f"{line[: len(line) - len(plain)]}pass")
            continues = line.endswith("\\")
        else:
            lines.append(line)
    return "\n".join(lines)


def _with_pass(text: str, nodes: list[ast.stmt]) -> str:
    """``pass`` in place of each statement, on its first line and its last; columns are counted in bytes of UTF-8."""
    lines = [line.encode() for line in text.split("\n")]
    for node in reversed(nodes):
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
        last = (node.end_lineno or node.lineno) - 1
        before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
        if first == last:
            lines[first] = before + b"pass" + after
        else:  # what follows may begin with a semicolon, and needs a statement before it
            lines[first : last + 1] = [before + b"pass", *[b""] * (last - first - 1), b"pass" + after]
    return b"\n".join(lines).decode()
