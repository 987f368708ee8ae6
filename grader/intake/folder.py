"""Read a submission from a folder: no link is followed, and nothing outside it can be put in its place meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.contract import PACKAGE
from grader.errors import SubmissionError, UsageError
from grader.intake import rules
from grader.intake.collect import collect
from grader.intake.submission import SubmissionFiles
from grader.intake.tree import Entry, Kind, UnreadableFolder, by_name, join, refuse_link, require_file_size

_FROM_HANDLE = os.open in os.supports_dir_fd and os.scandir in os.supports_fd  # not on Windows
_ENTER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
# non-blocking: a FIFO put there meanwhile cannot make us wait
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def find_above(start: Path) -> Path:
    """The nearest folder, from ``start`` upwards, that holds ``assignment1/``.

    Raises:
        UsageError: there is none.
    """
    for folder in (start, *start.parents):
        if folder.name == PACKAGE or (folder / PACKAGE).is_dir():
            return folder
    raise UsageError(f"no {PACKAGE}/ folder here or above; give the path of the submission")


def read(path: Path) -> SubmissionFiles:
    """Read the package and the helper modules beside it.

    ``path`` may be the folder that holds ``assignment1/``, that folder itself, or wrappers with one such folder
    inside. Links are refused, not followed.

    Raises:
        UsageError: no such folder.
        SubmissionError: as ``collect``.
    """
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        raise UsageError(f"no such folder: {path}") from None
    except (OSError, ValueError) as error:  # e.g. a name that is too long, or with a NUL
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', error)}") from None
    if not is_folder:
        raise UsageError(f"{path} is not a folder")
    top = path.resolve()
    return collect(FolderTree(top.parent if top.name == PACKAGE else top), str(path))


class FolderTree:
    """A folder on disk.

    Every step goes from an open folder to a name in it, without following: a path as a whole could lead elsewhere by
    the time it is opened, when someone replaces one of its folders by a link. Windows has no such calls; there the
    last name alone is checked.

    Args:
        top: an existing folder; links in this path itself are the caller's choice.
    """

    def __init__(self, top: Path) -> None:
        self._top = top
        self._listed: dict[str, list[Entry]] = {}
        self._seen = 0
        self.name = top.name

    def entries(self, folder: str) -> list[Entry]:
        """As in Tree; a folder is looked at once."""
        if folder not in self._listed:
            self._listed[folder] = self._list(folder)
        return self._listed[folder]

    def _list(self, folder: str) -> list[Entry]:
        found: list[Entry] = []
        try:
            with self._entered(folder) as place, os.scandir(place) as listing:
                for entry in listing:
                    self._seen += 1
                    if self._seen > rules.MAX_ENTRIES:
                        raise SubmissionError(f"more than {rules.MAX_ENTRIES} files and folders in {self._shown('')}")
                    found.append(Entry(entry.name, _kind(entry)))
        except OSError as error:
            raise UnreadableFolder(f"{self._shown(folder)} cannot be read: {error.strerror}") from None
        return by_name(found)

    def read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        """As in Tree."""
        for path in paths:
            yield path, self._read_regular(path)

    def _read_regular(self, path: str) -> bytes:
        folder, _, name = path.rpartition("/")
        try:
            with self._entered(folder) as place:
                if isinstance(place, int):
                    handle = os.open(name, _OPEN, dir_fd=place)
                elif os.path.islink(place / name):
                    raise refuse_link(path)
                else:
                    handle = os.open(place / name, _OPEN)
            with os.fdopen(handle, "rb") as file:
                status = os.fstat(handle)
                if not stat.S_ISREG(status.st_mode):
                    raise SubmissionError(f"{rules.shown(path)} is not a regular file")
                require_file_size(status.st_size, path)
                raw = file.read(rules.MAX_FILE_BYTES + 1)
        except OSError as error:
            raise SubmissionError(f"{rules.shown(path)} cannot be read: {error.strerror}") from None
        require_file_size(len(raw), path)  # it may have grown since
        return raw

    @contextmanager
    def _entered(self, folder: str) -> Iterator[int | Path]:
        """The folder as a handle, or as a path where the system has no calls for names in an open folder."""
        if not _FROM_HANDLE:
            yield self._top / folder
            return
        handle = os.open(self._top, _ENTER)
        try:
            for name in folder.split("/") if folder else ():
                inner = os.open(name, _ENTER, dir_fd=handle)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)

    def _shown(self, folder: str) -> str:
        return rules.shown(join(self.name, folder) if folder else self.name)


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink() or getattr(entry, "is_junction", bool)():
        return Kind.LINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.FOLDER
    return Kind.FILE if entry.is_file(follow_symlinks=False) else Kind.OTHER
