"""From files and folders to a submission: the same rules for a folder and for every archive."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from grader.contract import PACKAGE
from grader.errors import SubmissionError
from grader.intake import rules
from grader.intake.source import decode_all
from grader.intake.submission import NoPackage, SubmissionFiles, require_package
from grader.intake.tree import Entry, Kind, Tree, UnreadableFolder, join, refuse_link

_MAX_NAMED = 5


def collect(tree: Tree, where: str) -> SubmissionFiles:
    """Read the package and the helper modules beside it; list what lies there and is not read.

    Args:
        where: the path as it was given, for sentences.

    Raises:
        SubmissionError: nothing to grade, a link, an unusable name, too many or too large files, no source text.
    """
    root = _find_root(tree, where)
    chosen: list[str] = []
    skipped = [*_around(tree, root)]
    for path, is_wanted in _look(tree, root, "", depth=0):
        (chosen if is_wanted else skipped).append(path)
        if len(chosen) > rules.MAX_FILES:
            raise SubmissionError(f"more than {rules.MAX_FILES} Python files in {where}")
    files, notes = decode_all(_read(tree, root, chosen, where))
    require_package(files, where)
    return SubmissionFiles(root.rpartition("/")[2] or tree.name, files, _listed(skipped), notes)


def _find_root(tree: Tree, where: str) -> str:
    """The folder that holds the package, at the top or in wrappers: the only one of its level."""
    level, links = [""], []
    for _ in range(rules.MAX_WRAPPERS + 1):
        found, below = [], []
        for folder in level:
            for entry in _entries(tree, folder):
                if entry.name == PACKAGE and entry.kind in (Kind.FOLDER, Kind.LINK):
                    found.append(folder)
                elif entry.kind is Kind.FOLDER and not rules.is_ignored(entry.name):
                    below.append(join(folder, entry.name))
                elif entry.kind is Kind.LINK:
                    links.append(join(folder, entry.name))
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(rules.shown(path) for path in found[:_MAX_NAMED])
            raise SubmissionError(f"several folders in {where} hold {PACKAGE}/ ({names}); give one of them")
        level = below
    if links:  # the package may be behind it
        raise refuse_link(links[0])
    raise NoPackage(f"no {PACKAGE}/ folder in {where}")


def _entries(tree: Tree, folder: str) -> list[Entry]:
    try:
        return tree.entries(folder)
    except UnreadableFolder:
        if not folder:
            raise
        return []  # a folder beside the submission may be closed to us


def _around(tree: Tree, root: str) -> Iterator[str]:
    """What lies beside the wrappers, as seen from the root: ``../notes.txt``."""
    parts = root.split("/") if root else []
    for depth, part in enumerate(parts):
        for entry in tree.entries("/".join(parts[:depth])):
            if entry.name != part:
                yield "../" * (len(parts) - depth) + _marked(entry.name, entry.kind)


def _look(tree: Tree, root: str, folder: str, *, depth: int) -> Iterator[tuple[str, bool]]:
    """Paths from the root, and whether each is to be read: ``.py`` files in the root and everywhere in the package."""
    if depth > rules.MAX_DEPTH:
        raise SubmissionError(f"{rules.shown(folder)} is nested more than {rules.MAX_DEPTH} folders deep")
    entries = tree.entries(join(root, folder) if folder else root)
    _require_distinct(entries, folder)
    for entry in entries:
        path = join(folder, entry.name)
        is_in_package = bool(folder) or entry.name == PACKAGE
        is_module = entry.name.endswith(".py")
        if rules.is_ignored(entry.name):
            yield _marked(path, entry.kind), False
            continue
        if is_module or (is_in_package and entry.kind is Kind.FOLDER):
            rules.require_usable(path)
        if entry.kind is Kind.LINK and (is_module or is_in_package):
            raise refuse_link(path)
        if entry.kind is Kind.FOLDER and is_in_package and not is_module:
            yield from _look(tree, root, path, depth=depth + 1)
        elif entry.kind is not Kind.FILE and is_module:
            raise SubmissionError(f"{rules.shown(path)} is not a regular file")
        else:
            yield _marked(path, entry.kind), rules.is_source(entry.name)


def _require_distinct(entries: list[Entry], folder: str) -> None:
    """Raise SubmissionError when two modules or folders are one where case or the form of accents does not count."""
    spelled: dict[str, str] = {}
    for entry in entries:
        if entry.name.endswith(".py") or entry.kind is Kind.FOLDER:
            path = join(folder, entry.name)
            first = spelled.setdefault(rules.folded(path), path)
            if first != path:
                raise SubmissionError(f"{first!a} and {path!a} are the same name on some systems")


def _read(tree: Tree, root: str, chosen: list[str], where: str) -> dict[str, bytes]:
    read: dict[str, bytes] = {}
    size = 0
    from_root = {join(root, path) if root else path: path for path in chosen}
    for path, raw in tree.read([*from_root]):
        # macOS takes names apart, "e" and its accent; an import statement asks for the composed form
        read[unicodedata.normalize("NFC", from_root[path])] = raw
        size += len(raw)
        if size > rules.MAX_BYTES:
            raise SubmissionError(f"more than {rules.MAX_BYTES >> 20} MiB of Python files in {where}")
    return read


def _marked(path: str, kind: Kind) -> str:
    return f"{path}/" if kind is Kind.FOLDER else path


def _listed(skipped: list[str]) -> tuple[str, ...]:
    """The names for the report, in a fixed order, and how many more there are."""
    listed = sorted(skipped)
    more = len(listed) - rules.MAX_LISTED
    return (*listed[: rules.MAX_LISTED], f"and {more} more") if more > 0 else tuple(listed)
