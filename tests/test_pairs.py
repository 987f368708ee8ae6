"""The bank's pairs: two mistakes at once, and both are there."""

import ast
from collections import Counter

import bank_loader
import pytest
import torch
from pair_probe import answers

from grader.catalogue import all_checks
from grader.errors import EARNING
from grader.session import grade

SEED = 20260401
PAIRS = bank_loader.pairs()
WRONG = {entry.fault: entry for entry in bank_loader.entries("wrong")}


def named(items):
    return [pytest.param(item, id=item.name) for item in items]


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Threads that wait for each other make parallel test processes ten times slower; the tensors are small."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


# -- what the bank holds --------------------------------------------------------------------------------------


def test_there_are_enough_pairs_and_they_reach_every_part():
    areas = {fault.partition(".")[0] for pair in PAIRS for fault in pair.faults}

    assert len(PAIRS) >= 40
    assert areas == {fault.partition(".")[0] for fault in WRONG}


def test_no_two_pairs_are_the_same():
    faults = [frozenset(pair.faults) for pair in PAIRS]

    assert [sorted(both) for both, times in Counter(faults).items() if times > 1] == []


def test_there_are_pairs_in_two_modules_in_one_module_and_in_one_function():
    shapes = {"one file" if len(pair.parts) == 1 else len({part.target for part in pair.parts}) for pair in PAIRS}

    assert shapes == {"one file", 1, 2}


@pytest.mark.parametrize("pair", named(PAIRS))
def test_a_pair_is_two_mistakes_of_the_bank(pair):
    assert len(pair.faults) == 2
    assert pair.faults <= set(WRONG)


@pytest.mark.parametrize("pair", named([pair for pair in PAIRS if len(pair.parts) == 1]))
def test_a_file_with_two_mistakes_says_so_in_its_first_line(pair):
    source = pair.parts[0].path.read_text("utf-8")

    assert pair.parts[0].sentence.endswith(".")
    assert pair.parts[0].target in bank_loader.base().files
    assert {"FAULTS", "MUTATES"} <= {
        target.id for node in ast.parse(source).body if isinstance(node, ast.Assign) for target in node.targets
    }


# -- both mistakes are there ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answers_of(tmp_path_factory):
    """A function: the answers of a submission, asked once."""
    known = {}

    def ask(submission):
        if submission.name not in known:
            known[submission.name] = answers(submission, tmp_path_factory.mktemp("probe"))
        return known[submission.name]

    return ask


@pytest.mark.parametrize("pair", named(PAIRS))
def test_a_pair_answers_otherwise_than_each_of_its_mistakes_alone(pair, answers_of):
    singles = {fault: answers_of(WRONG[fault].submission()) for fault in pair.faults}

    together = answers_of(pair.submission())

    assert [fault for fault, alone in singles.items() if alone == together] == []


def test_the_probe_sees_every_mistake_that_is_in_a_pair(answers_of):
    right = answers_of(bank_loader.base())

    unseen = [fault for pair in PAIRS for fault in pair.faults if answers_of(WRONG[fault].submission()) == right]

    assert unseen == []


def test_the_probe_gives_the_same_answers_again(tmp_path):
    assert answers(bank_loader.base(), tmp_path / "first") == answers(bank_loader.base(), tmp_path / "second")


@pytest.mark.bank
@pytest.mark.parametrize("pair", named(PAIRS))
def test_a_pair_loses_points_at_checks_that_look_at_each_mistake(pair, warm_runner, settings):
    looking = {fault: {check.id for check in all_checks().values() if fault in check.catches} for fault in pair.faults}

    report = grade(pair.submission(), warm_runner, settings, seed=SEED, examples=False)

    lost = {check.id for check in report.checks if not check.advice and check.outcome not in EARNING}
    assert report.graded, report.error
    assert report.score < 100
    assert [fault for fault, checks in looking.items() if not checks & lost] == []
