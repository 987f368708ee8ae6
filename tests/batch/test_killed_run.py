"""A run that is killed at any moment: resumed, it loses no grade, grades none twice, and ends as an undisturbed one."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from classes import command, grader, grades, make_class, small_assignment
from command_line import environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills a process group")
COUNT = 12


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A class, and its run from beginning to end."""
    place = tmp_path_factory.mktemp("undisturbed")
    make_class(place / "class", COUNT)
    done = grader("batch", *options(place, place / "run"), "--seed", 9)
    assert done.returncode == 0, done.stderr
    return place


def options(place: Path, run: Path) -> list[object]:
    return [place / "class", "-o", run, "--assignment", small_assignment(place), "--jobs", 2, "--no-html"]


def finished(run: Path) -> dict[str, tuple]:
    """What the journal holds, with the report's time: rewritten, it would be another."""
    if not (run / "journal.sqlite").exists():
        return {}
    with sqlite3.connect(run / "journal.sqlite") as journal:
        try:
            rows = list(journal.execute("SELECT id, report FROM graded"))
        except sqlite3.OperationalError:  # killed before there was a table
            rows = []
    journal.close()
    return {id: (sha, (run / f"reports/{id}/report.json").stat().st_mtime_ns) for id, sha in rows}


def start_and_kill(place: Path, run: Path, rows: int, later: float) -> None:
    """Start or resume; kill it ``later`` seconds after the journal has ``rows`` more rows than before."""
    begun = (run / "journal.sqlite").exists()
    before = len(finished(run))
    process = subprocess.Popen(
        command("batch", *options(place, run), *(["--resume"] if begun else ["--seed", 9])),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    lines = 0
    while lines < before + rows and process.stdout.readline():  # a line a submission, and a few others
        lines += 1
    time.sleep(later)
    os.kill(process.pid, signal.SIGKILL)  # the run alone: its slots must see for themselves
    process.wait()
    process.stdout.close()


def disturb(place: Path, run: Path, kills: int, chance: random.Random) -> None:
    for _ in range(kills):
        before = finished(run)
        start_and_kill(place, run, chance.randrange(4), chance.random())
        if (run / "journal.sqlite").exists() and not initialised(run):
            (run / "journal.sqlite").unlink()  # killed within its first milliseconds: there is no run to resume
        after = finished(run)
        assert {id: after.get(id) for id in before} == before


def initialised(run: Path) -> bool:
    with sqlite3.connect(run / "journal.sqlite") as journal:
        known = journal.execute("PRAGMA user_version").fetchone()[0]
    journal.close()
    return known == 1


def check_to_the_end(undisturbed: Path, run: Path, kills: int, seed: int) -> None:
    disturb(undisturbed, run, kills, random.Random(seed))
    before = finished(run)

    done = grader("batch", *options(undisturbed, run), *(["--resume"] if run.exists() else ["--seed", 9]))

    after = finished(run)
    assert done.returncode == 0, done.stderr
    assert {id: after[id] for id in before} == before
    assert len(after) == COUNT
    assert grades(run) == grades(undisturbed / "run")


def test_killed_twice(undisturbed, tmp_path):
    check_to_the_end(undisturbed, tmp_path / "run", kills=2, seed=1)


@pytest.mark.bank
@pytest.mark.timeout(1200)
def test_killed_ten_times_over(undisturbed, tmp_path):
    check_to_the_end(undisturbed, tmp_path / "run", kills=10, seed=int(time.time()))


def test_slots_end_with_the_run(undisturbed, tmp_path):
    mark = f"GRADER_TEST_MARK={tmp_path}"
    process = subprocess.Popen(
        command("batch", *options(undisturbed, tmp_path / "run"), "--seed", 9),
        env=environment(GRADER_TEST_MARK=str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    process.stdout.readline()
    process.stdout.readline()

    process.kill()
    process.wait()
    process.stdout.close()

    deadline = time.monotonic() + 20
    while alive_with(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert alive_with(mark) == []


def alive_with(mark: str) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            continue
    return found


def test_a_slot_that_dies_costs_no_submission(undisturbed, tmp_path):
    mark = f"GRADER_TEST_MARK={tmp_path}"
    process = subprocess.Popen(
        command("batch", *options(undisturbed, tmp_path / "run"), "--seed", 9),
        env=environment(GRADER_TEST_MARK=str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.readline()
    process.stdout.readline()
    slots = [pid for pid in alive_with(mark) if b"grader.cli.slot" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    os.kill(slots[0], signal.SIGKILL)
    process.communicate(timeout=250)

    assert process.returncode == 0
    assert grades(tmp_path / "run") == grades(undisturbed / "run")
