"""The loop over a class, on an engine that answers as the test wants: trouble, resuming, changed checks."""

from __future__ import annotations

import errno
import json

import pytest
from classes import CHECKS, SMALL, Runs, grades, make_class, small_assignment

from grader.batch import digests, outputs
from grader.batch.run import MAX_TRIES
from grader.batch.state import StoppedEarly
from grader.batch.supervise import SlotLost
from grader.errors import Outcome, UsageError
from grader.report import files, summary


@pytest.fixture
def runs(tmp_path):
    return Runs(make_class(tmp_path / "class", 6), small_assignment(tmp_path))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def asked_again(runs):
    """What a resumed run asks the engine."""
    runs.engine.asked.clear()
    return runs.engine.asked


# -- trouble of ours ---------------------------------------------------------------------------------------------


def test_trouble_is_retried_and_costs_nothing(runs, folder):
    runs.engine.trouble = {"1002": ["no worker", SlotLost("it has ended")]}

    counts = runs.go(folder)

    read = summary.from_json((folder / "summary.json").read_text("utf-8"))
    assert (counts.retries, counts.quarantined) == (2, [])
    assert {entry.id: entry.score for entry in read.submissions}["1002"] == 6
    assert {entry.id: entry.tries for entry in read.submissions}["1002"] == 3


def test_trouble_without_end_is_quarantined_and_never_a_zero(runs, folder):
    runs.engine.trouble = {"1002": ["no worker"] * 99}

    counts = runs.go(folder)

    read = summary.from_json((folder / "summary.json").read_text("utf-8"))
    [entry] = read.in_state("infrastructure")
    assert counts.quarantined == ["1002"] == read.health.quarantined
    assert (entry.id, entry.score, entry.tries, entry.detail) == ("1002", None, MAX_TRIES, "no worker")
    assert "through no fault" in entry.reason["en"]
    assert len(read.in_state("graded")) == 5


def test_a_resumed_run_tries_what_was_quarantined_again(runs, folder):
    runs.engine.trouble = {"1002": ["no worker"] * MAX_TRIES}
    runs.go(folder)
    again = asked_again(runs)

    counts = runs.go(folder, resume=True)

    assert again == [("1002", None)]
    assert (counts.resumed, counts.quarantined) == (5, [])
    assert grades(folder)["1002"][:2] == ("graded", 6)


def test_trouble_with_everything_stops_the_run(tmp_path, folder):
    runs = Runs(make_class(tmp_path / "class", 30), small_assignment(tmp_path))
    runs.engine.trouble = {str(1000 + at): ["the engine does not answer"] * 99 for at in range(30)}

    with pytest.raises(StoppedEarly, match=r"nothing can be graded any more.*the engine does not answer"):
        runs.go(folder)

    assert len(runs.engine.asked) < 30


def test_an_engine_that_goes_in_mid_run_loses_nothing(runs, folder):
    runs.engine.gone_after = 3
    told = []

    with pytest.raises(StoppedEarly, match="it was pulled out"):
        runs.go(folder, told=told)

    states = {id: state for id, (state, *_) in grades(folder).items()}
    done = [entry.id for entry in told if entry.state == "graded"]
    assert len(done) > 0
    assert {id for id, state in states.items() if state == "graded"} == set(done)
    assert len(states) == 6
    runs.engine.gone_after = None
    again = asked_again(runs)
    runs.go(folder, resume=True)
    assert {name for name, _ in again} == set(states) - set(done)
    assert {state for state, *_ in grades(folder).values()} == {"graded"}


def test_a_full_disk_stops_with_a_sentence_and_a_resumed_run_ends_it(runs, folder, monkeypatch):
    real, written = files.replacing, []

    def full(path):
        written.append(path)
        if len(written) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path)

    monkeypatch.setattr(files, "replacing", full)
    with pytest.raises(StoppedEarly, match=r"cannot be written: No space left"):
        runs.go(folder)
    monkeypatch.setattr(files, "replacing", real)
    again = asked_again(runs)

    counts = runs.go(folder, resume=True)

    assert (len(again), counts.resumed) == (3, 3)
    assert {state for state, *_ in grades(folder).values()} == {"graded"}


# -- resuming ----------------------------------------------------------------------------------------------------


def test_a_finished_run_is_not_graded_again(runs, folder):
    runs.go(folder)
    before, again = grades(folder), asked_again(runs)

    counts = runs.go(folder, resume=True)

    assert (again, counts.resumed, grades(folder)) == ([], 6, before)


def test_what_was_handed_in_anew_is_graded_again_and_nothing_else(runs, folder, tmp_path):
    runs.go(folder)
    (tmp_path / "class" / "1003.zip").write_bytes((tmp_path / "class" / "1004.zip").read_bytes())
    again = asked_again(runs)

    runs.go(folder, resume=True)

    assert again == [("1003", None)]


def test_a_report_that_was_changed_or_lost_is_graded_again(runs, folder):
    runs.go(folder)
    (folder / "reports/1001/report.json").unlink()
    forged = folder / "reports/1002/report.json"
    forged.write_text(forged.read_text("utf-8").replace('"fail"', '"pass"') + " ", "utf-8")
    again = asked_again(runs)

    runs.go(folder, resume=True)

    assert sorted(again) == [("1001", None), ("1002", None)]


def test_another_core_of_the_grader_grades_everything_again(runs, folder, monkeypatch):
    runs.go(folder)
    monkeypatch.setattr(digests, "core_digest", lambda: "another")
    again = asked_again(runs)

    runs.go(folder, resume=True)

    assert len(again) == 6


def change_check(monkeypatch, *checks: str) -> None:
    known = digests.check_sources()
    monkeypatch.setattr(digests, "check_sources", lambda: {**known, **dict.fromkeys(checks, "changed")})


def test_a_changed_check_is_run_alone_and_the_rest_of_the_report_stands(runs, folder, monkeypatch):
    runs.go(folder)
    before = json.loads((folder / "reports/1001/report.json").read_text("utf-8"))
    change_check(monkeypatch, "rope.frequency-errors")
    again = asked_again(runs)

    counts = runs.go(folder, resume=True)

    after = json.loads((folder / "reports/1001/report.json").read_text("utf-8"))
    assert again == [(str(1000 + at), ["rope.frequency-errors"]) for at in range(6)]
    assert counts.regraded == 6
    assert (after["checks"], after["selected"], after["score"]) == (before["checks"], [], 6)
    assert asked_again(runs) == []
    runs.go(folder, resume=True)
    assert runs.engine.asked == []


def test_a_changed_check_that_fails_now_has_the_whole_graded(runs, folder, monkeypatch):
    runs.go(folder)
    change_check(monkeypatch, "rope.frequency-errors")
    runs.engine.outcomes = {"1001": {"rope.frequency-errors": Outcome.FAIL}}
    again = asked_again(runs)

    runs.go(folder, resume=True)

    assert [asked for asked in again if asked[0] == "1001"] == [("1001", ["rope.frequency-errors"]), ("1001", None)]
    assert grades(folder)["1001"][1] == 4


def test_a_changed_check_that_failed_before_has_the_whole_graded(runs, folder, monkeypatch):
    runs.engine.outcomes = {"1001": {"rope.frequency-errors": Outcome.FAIL}}
    runs.go(folder)
    change_check(monkeypatch, "rope.frequency-errors")
    runs.engine.outcomes = {}
    again = asked_again(runs)

    runs.go(folder, resume=True)

    assert [asked for asked in again if asked[0] == "1001"] == [("1001", None)]
    assert grades(folder)["1001"][1] == 6


def test_a_check_that_was_taken_out_needs_no_run(runs, folder, tmp_path):
    runs.go(folder)
    small_assignment(tmp_path, SMALL.replace('"rope.frequency-errors" = 2\n', ""))
    again = asked_again(runs)

    runs.go(folder, resume=True)

    report = json.loads((folder / "reports/1001/report.json").read_text("utf-8"))
    assert again == []
    assert {check["id"] for check in report["checks"]} == set(CHECKS) - {"rope.frequency-errors"}
    assert grades(folder)["1001"][1] == 4


def test_other_points_touch_that_check_only(runs, folder, tmp_path):
    runs.go(folder)
    small_assignment(tmp_path, SMALL.replace('"rope.frequency-errors" = 2', '"rope.frequency-errors" = 7'))
    again = asked_again(runs)

    runs.go(folder, resume=True)

    assert {tuple(selected) for _, selected in again} == {("rope.frequency-errors",)}
    assert grades(folder)["1001"][1] == 11


# -- wrong use ---------------------------------------------------------------------------------------------------


def test_a_folder_with_a_run_needs_resume(runs, folder):
    runs.go(folder)

    with pytest.raises(UsageError, match="holds a run already; --resume"):
        runs.go(folder)


def test_a_folder_with_something_else_is_left_alone(runs, folder):
    folder.mkdir()
    (folder / "thesis.tex").write_text("x")

    with pytest.raises(UsageError, match="is not empty"):
        runs.go(folder)


def test_resume_without_a_run(runs, folder):
    with pytest.raises(UsageError, match="holds no run"):
        runs.go(folder, resume=True)


def test_resume_with_another_assignment_seed_or_part(runs, folder, tmp_path):
    runs.go(folder)

    with pytest.raises(UsageError, match="draws its inputs with seed 5, not 6"):
        runs.go(folder, resume=True, seed=6)
    with pytest.raises(UsageError, match="another part of the class"):
        runs.go(folder, resume=True, shard=summary.Shard(index=1, count=2))
    small_assignment(tmp_path, SMALL.replace("Small", "Other"))
    with pytest.raises(UsageError, match="another assignment: 'Small', not 'Other'"):
        runs.go(folder, resume=True)


def test_a_damaged_journal_is_said_to_be(runs, folder):
    runs.go(folder)
    (folder / "journal.sqlite").write_bytes(b"not a database, whatever its name says" * 100)

    with pytest.raises(UsageError, match=r"journal.sqlite cannot be used"):
        runs.go(folder, resume=True)


def test_two_runs_do_not_share_a_folder(runs, folder):
    from grader.batch.journal import Journal

    runs.go(folder)
    other = Journal(folder)
    other.set_facts(busy=True)

    with pytest.raises(UsageError, match="in use by another run"):
        runs.go(folder, resume=True)
    other.close()


# -- what is written ---------------------------------------------------------------------------------------------


def test_names_that_are_no_folders_get_ids_that_are(tmp_path, folder):
    base = (make_class(tmp_path / "one", 1) / "1000.zip").read_bytes()
    names = ["张三", "李四", "a b", "a-b", "A_B", "con", "..x", "=cmd"]
    place = tmp_path / "class"
    place.mkdir()
    for name in names:
        (place / f"{name}.zip").write_bytes(base)
    runs = Runs(place, small_assignment(tmp_path))

    runs.go(folder)

    read = summary.from_json((folder / "summary.json").read_text("utf-8"))
    ids = [entry.id for entry in read.submissions]
    assert {entry.student.id for entry in read.submissions} == {*names} - {"..x"}
    assert len({id.casefold() for id in ids}) == len(ids) == 7
    assert all(id.isascii() and id[0] not in ".-" and id.split(".")[0].casefold() != "con" for id in ids)
    assert sorted(one.name for one in (folder / "reports").iterdir()) == sorted(ids)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "＝1"])
def test_no_cell_is_a_formula(text):
    assert str(outputs.safe_cell(text)).startswith("'")


def test_other_cells_are_left_alone():
    assert [outputs.safe_cell(value) for value in ("a-b", 5, None, "张三")] == ["a-b", 5, None, "张三"]
