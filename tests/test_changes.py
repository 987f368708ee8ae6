"""When a watched submission counts as changed. Time passes only where the test says so."""

from __future__ import annotations

import pytest

from grader.cli import changes
from grader.cli.changes import PAUSE, SETTLE, Changes
from grader.intake.read import read


class Clock:
    """A sleep that returns at once and does what happens meanwhile; at the end of the list it gives up."""

    def __init__(self, *meanwhile):
        self._meanwhile, self.slept = list(meanwhile), []

    def __call__(self, seconds):
        self.slept.append(seconds)
        if not self._meanwhile:
            raise TimeoutError
        self._meanwhile.pop(0)()


@pytest.fixture
def rope(submission_folder):
    return submission_folder / "assignment1" / "rope.py"


def nothing():
    pass


def waiting(folder, *meanwhile):
    clock = Clock(*meanwhile)
    return Changes(folder, read(folder), clock), clock


def test_a_saved_file_is_seen_with_its_new_text(submission_folder, rope):
    watched, clock = waiting(submission_folder, nothing, lambda: rope.write_text("x = 1\n"), nothing)

    seen = watched.wait()

    assert seen.files["assignment1/rope.py"] == "x = 1\n"
    assert [pause == SETTLE for pause in clock.slept] == [False, False, True]
    assert clock.slept[0] >= PAUSE


def test_a_file_that_is_being_written_is_waited_for(submission_folder, rope):
    watched, _ = waiting(
        submission_folder, lambda: rope.write_text(""), lambda: rope.write_text("x ="), nothing, lambda: None
    )

    assert watched.wait().files["assignment1/rope.py"] == "x ="


@pytest.mark.parametrize("name", ["notes.txt", ".rope.py.swp", "assignment1/.#rope.py", "assignment1/data.bin"])
def test_what_is_not_graded_is_no_change(submission_folder, name):
    watched, _ = waiting(submission_folder, lambda: (submission_folder / name).write_text("x"), nothing, nothing)

    with pytest.raises(TimeoutError):
        watched.wait()


def test_a_file_saved_as_it_was_is_no_change(submission_folder, rope):
    watched, _ = waiting(submission_folder, lambda: rope.write_bytes(rope.read_bytes()), nothing)

    with pytest.raises(TimeoutError):
        watched.wait()


def test_a_file_that_an_editor_replaces_is_seen(submission_folder, rope):
    def replaced():
        (rope.parent / "new").write_text("x = 2\n")
        (rope.parent / "new").replace(rope)

    watched, _ = waiting(submission_folder, replaced, nothing)

    assert watched.wait().files["assignment1/rope.py"] == "x = 2\n"


def test_a_submission_that_cannot_be_read_is_a_sentence_once_and_comes_back(submission_folder, rope):
    text = rope.read_text("utf-8")
    watched, _ = waiting(submission_folder, lambda: rope.write_bytes(b"\0"), nothing, lambda: rope.write_text(text))

    assert "rope.py holds a NUL byte" in watched.wait()
    with pytest.raises(TimeoutError):
        watched.wait()  # it returns what was there at first only after it has settled, which takes a look more


def test_a_change_during_a_run_is_pending(submission_folder, rope):
    watched, _ = waiting(submission_folder)

    assert not watched.pending()
    rope.write_text("x = 3\n")
    assert watched.pending()


def test_a_slow_look_is_taken_less_often(submission_folder, rope, monkeypatch):
    ticks = iter(range(0, 1000, 3))  # every look at the clock: three seconds later
    monkeypatch.setattr(changes.time, "perf_counter", lambda: next(ticks))
    watched, clock = waiting(submission_folder, lambda: rope.write_text("x = 1\n"), nothing)

    watched.wait()

    assert clock.slept[0] == 3 * 20
