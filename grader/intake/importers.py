"""Which files of a submission a change in some of them can reach, read from their import statements."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Mapping


def changed_between(before: Mapping[str, str], now: Mapping[str, str]) -> set[str]:
    """Paths that are new, gone, or have another text."""
    return {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}


def reached_from(changed: Collection[str], files: Mapping[str, str]) -> set[str]:
    """``changed``, and all files that import one of them, directly or through others.

    A package in the submission's own counts as changed with each of its files: it may run them in another way, as the
    one does that is made of a notebook's cells.

    An import that no statement shows is missed; so is one in a file that does not parse.
    """
    imports = {path: _imported(path, text) for path, text in files.items()}
    reached = set(changed)
    while True:
        modules = {module_name(path) for path in reached}
        modules |= {parent for module in modules for parent in _parents(module) if "." in parent}
        more = {path for path, names in imports.items() if names & modules or module_name(path) in modules} - reached
        if not more:
            return reached
        reached |= more


def _imported(path: str, text: str) -> set[str]:
    """Names of modules that may stand behind the import statements of a file; its own packages run before it."""
    found = _parents(module_name(path))
    for node in _statements(text):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(path, node)
            names = [source, *(f"{source}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            found |= {name} | _parents(name)
    return found


def _statements(text: str) -> list[ast.AST]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about an escape in a string: the import itself will say it
            return list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _absolute(path: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = path.split("/")[: -node.level]  # one dot: the folder that the file is in
    return ".".join([*package, *([node.module] if node.module else [])])


def module_name(path: str) -> str:
    """The dotted name under which a file is imported."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _parents(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts))}
