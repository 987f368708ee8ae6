"""What a run has finished, in SQLite: one transaction a submission, so that a kill at any moment loses no grade.

A row is written after the report's file is in place. A run that is killed between the two grades that one submission
again, and nobody sees two grades. See ``digests`` for what a row's truth depends on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import UsageError

JOURNAL_FILE = "journal.sqlite"
_VERSION = 1
_TABLES = """
CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE check_sets (digest TEXT PRIMARY KEY, checks TEXT NOT NULL);
CREATE TABLE graded (
    id TEXT PRIMARY KEY, submission TEXT, base TEXT, check_set TEXT, state TEXT NOT NULL, report TEXT,
    entry TEXT NOT NULL, start INTEGER NOT NULL
);
CREATE TABLE tries (id TEXT NOT NULL, start INTEGER NOT NULL, error TEXT);
CREATE TABLE sources (digest TEXT PRIMARY KEY, files BLOB NOT NULL);
"""


@dataclass(frozen=True)
class Row:
    """A finished submission.

    Attributes:
        id: the entry's.
        submission: digest of its sources.
        checks: digests of the checks that were run, by id.
        report: SHA-256 of report.json.
        entry: the summary's entry, as JSON.
    """

    id: str
    submission: str
    base: str
    checks: Mapping[str, str]
    state: str
    report: str
    entry: str


class Journal:
    """The journal of a run's folder.

    Args:
        create: make it where there is none.
        readonly: only look; not while a run writes.

    Raises:
        UsageError: it is no journal, is of another version of the grader, or is in use by another run.
    """

    def __init__(self, folder: Path, *, create: bool = False, readonly: bool = False) -> None:
        self.path = folder / JOURNAL_FILE
        if not create and not self.path.is_file():
            raise UsageError(f"{folder} holds no run: there is no {JOURNAL_FILE}")
        self._sets: dict[str, dict[str, str]] = {}
        # one connection for all threads: the run's loop alone writes
        self._connection = sqlite3.connect(self.path, timeout=1.0, isolation_level=None)
        try:
            if not readonly:  # two runs in one folder would grade everything twice: this one holds it until it ends
                self._connection.execute("PRAGMA locking_mode=EXCLUSIVE")
                self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")  # a grade that is reported survives a power cut
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0 and create:
                self._connection.executescript(f"BEGIN;{_TABLES}PRAGMA user_version={_VERSION};COMMIT;")
            elif version != _VERSION:
                raise UsageError(f"{self.path} is of another version of the grader, or damaged; start a new folder")
        except sqlite3.DatabaseError as error:
            self._connection.close()
            if "locked" in str(error):
                raise UsageError(f"{folder} is in use by another run") from None
            raise UsageError(f"{self.path} cannot be used: {error}") from None

    def close(self) -> None:
        """Close the file; what is committed stays."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction. Raises sqlite3.Error: the disk is full, say."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
            self._connection.execute("COMMIT")
        except BaseException:  # whatever it was, no half of it stays; it is raised again
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    # -- the run ------------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """What is known of the run as a whole."""
        rows = self._connection.execute("SELECT name, value FROM run")
        return {name: json.loads(value) for name, value in rows}

    def set_facts(self, **facts: object) -> None:
        """Remember facts of the run."""
        with self.writing() as writing:
            for name, value in facts.items():
                writing.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (name, json.dumps(value)))

    # -- submissions --------------------------------------------------------------------------------------------

    def row(self, id: str) -> Row | None:
        """The submission, if it is finished."""
        found = self._connection.execute(
            "SELECT id, submission, base, check_set, state, report, entry FROM graded WHERE id = ?", (id,)
        ).fetchone()
        return None if found is None else self._row(found)

    def rows(self, *, start: int | None = None) -> Iterator[Row]:
        """All of them by id; those that a start of the run has seen, or all."""
        wanted = "" if start is None else "WHERE start = ?"
        cursor = self._connection.execute(
            f"SELECT id, submission, base, check_set, state, report, entry FROM graded {wanted} ORDER BY id",  # noqa: S608 - one of two constants
            () if start is None else (start,),
        )
        for found in cursor:
            yield self._row(found)

    def _row(self, found: tuple[Any, ...]) -> Row:
        id, submission, base, check_set, state, report, entry = found
        return Row(id, submission or "", base or "", self._checks(check_set), state, report or "", entry)

    def finish(self, row: Row, *, start: int, sources: Mapping[str, str] | None = None) -> None:
        """Enter a submission as finished, with its sources for a later replay. Raises sqlite3.Error."""
        listed = json.dumps(dict(row.checks), sort_keys=True)
        digest = hash_of(listed)
        with self.writing() as writing:
            writing.execute("INSERT OR IGNORE INTO check_sets VALUES (?, ?)", (digest, listed))
            writing.execute(
                "INSERT OR REPLACE INTO graded VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (row.id, row.submission, row.base, digest, row.state, row.report, row.entry, start),
            )
            if sources is not None:
                packed = zlib.compress(json.dumps(dict(sources)).encode())
                writing.execute("INSERT OR IGNORE INTO sources VALUES (?, ?)", (row.submission, packed))

    def note_try(self, id: str, start: int, error: str | None) -> None:
        """Note that grading began, and how it failed if it did. Raises sqlite3.Error."""
        with self.writing() as writing:
            writing.execute("INSERT INTO tries VALUES (?, ?, ?)", (id, start, error))

    def sources(self, digest: str) -> dict[str, str] | None:
        """The sources of a submission that was graded."""
        found = self._connection.execute("SELECT files FROM sources WHERE digest = ?", (digest,)).fetchone()
        return None if found is None else json.loads(zlib.decompress(found[0]))

    def _checks(self, digest: str | None) -> dict[str, str]:
        if digest is None:
            return {}
        if digest not in self._sets:
            found = self._connection.execute("SELECT checks FROM check_sets WHERE digest = ?", (digest,)).fetchone()
            self._sets[digest] = {} if found is None else json.loads(found[0])
        return self._sets[digest]


def hash_of(text: str) -> str:
    """SHA-256, as hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
