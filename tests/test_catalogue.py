"""The catalogue: every check can be read, is worth something, and is there for mistakes that the bank holds."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import bank_loader
import pytest

import grader.checks
from grader import catalogue
from grader.catalogue import CheckInfo, all_checks, info_of
from grader.contract import TITLES, TITLES_ZH
from grader.devices import needs_gpu
from grader.session import grade

CHECKS = all_checks()
GRADED = [check for check, info in CHECKS.items() if not info.advice]
ADVICE = [check for check, info in CHECKS.items() if info.advice]
LOOPS = {"cache.starts-empty"}
"""Checks that call in a loop; all others are straight lines."""

FILES = [Path(next(iter(grader.checks.__path__))) / f"{name}.py" for name in catalogue.CHECK_FILES]
FUNCTIONS = {
    node.decorator_list[0].args[0].value: node
    for file in FILES
    for node in ast.walk(ast.parse(file.read_text("utf-8")))
    if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")
}


def killers() -> dict[str, set[str]]:
    """The mistakes of the bank by the check that they say must fail; those of devices by checks of devices alone."""
    found: dict[str, set[str]] = {}
    for entry in (*bank_loader.entries("wrong"), *bank_loader.entries("device")):
        for check in entry.killed_by:
            if entry.path.parent.name == "wrong" or needs_gpu(check):
                found.setdefault(check, set()).add(entry.fault)
    return found


KILLERS = killers()


# -- what there is -----------------------------------------------------------------------------------------------


def test_there_are_at_least_sixty_graded_checks():
    assert len(GRADED) >= 60


def test_every_check_function_of_every_file_is_in_the_catalogue():
    on_disk = {path.stem for path in FILES[0].parent.glob("check_*.py")}

    assert set(catalogue.CHECK_FILES) == on_disk
    assert list(FUNCTIONS) == list(CHECKS)


def test_two_checks_of_one_id_are_refused(monkeypatch):
    monkeypatch.setattr(catalogue, "CHECK_FILES", (*catalogue.CHECK_FILES, catalogue.CHECK_FILES[0]))

    with pytest.raises(ValueError, match=r"two checks are called norm\.layernorm-values"):
        all_checks()


def test_a_function_without_the_decorator_is_no_check():
    assert info_of(inspect.cleandoc) is None


@pytest.mark.parametrize("check", CHECKS)
def test_an_id_is_an_area_and_a_promise(check):
    area, _, promise = check.partition(".")

    assert area.isalpha()
    assert promise.replace("-", "").isalnum()
    assert check == check.lower()


# -- points ------------------------------------------------------------------------------------------------------


def test_points_are_whole_and_a_hundred_in_all(settings):
    assert {type(points) for points in settings.points.values()} == {int}
    assert sum(settings.points.values()) == 100


def test_every_check_is_listed_with_points_and_advice_with_none(settings):
    assert list(settings.points) == [check for check in CHECKS if not needs_gpu(check)]
    assert list(settings.device_points) == [check for check in CHECKS if needs_gpu(check)]
    assert all(settings.worth[check] > 0 for check in GRADED)
    assert all(settings.worth[check] == 0 for check in ADVICE)


# -- what a student reads ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("info", CHECKS.values(), ids=CHECKS)
def test_a_check_says_its_promise_in_one_sentence_and_its_rule_below(info: CheckInfo):
    full_stops = re.findall(r"(?<!\.)\.(?=\s|$)", info.title)  # neither "0 .. i" nor "1, 2, ..."

    assert info.section in TITLES
    assert info.title.endswith(".")
    assert len(full_stops) == (0 if info.title.endswith("...") else 1)
    assert len(info.title) <= 120
    assert len(info.detail) > 20
    assert info.detail.endswith(".")


def test_every_section_has_checks_and_a_title_in_both_languages():
    assert {info.section for info in CHECKS.values()} == set(TITLES)
    assert list(TITLES_ZH) == list(TITLES)


# -- a check is input, call, compare -----------------------------------------------------------------------------


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_is_input_call_compare(check):
    body = FUNCTIONS[check].body[1:]  # behind the docstring
    statements = {type(statement) for statement in body}
    nested = {type(node) for statement in body for node in ast.walk(statement)}

    assert statements <= {ast.Assign, ast.AnnAssign, ast.Expr} | ({ast.For} if check in LOOPS else set())
    assert nested & {ast.Lambda, ast.Await, ast.Yield, ast.NamedExpr} == set()
    assert body[-1].end_lineno - body[0].lineno < 25


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_asks_the_oracle_only_after_the_student_has_answered(check):
    names = [node for node in ast.walk(FUNCTIONS[check]) if isinstance(node, ast.Name)]
    student = [node.lineno for node in names if node.id == "student"]
    oracle = [node.lineno for node in names if node.id == "oracle"]

    assert student
    assert all(asked > max(student) for asked in oracle)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_check_file_is_short_and_brings_no_tensors_of_its_own(file):
    text = file.read_text("utf-8")

    assert len(text.splitlines()) < 400
    assert "import torch" not in text


# -- what it is there for ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", GRADED)
def test_a_check_names_exactly_the_mistakes_of_the_bank_that_it_must_kill(check):
    assert list(CHECKS[check].catches) == sorted(KILLERS.get(check, ()))


@pytest.mark.parametrize("check", GRADED)
def test_every_graded_check_is_needed_for_a_mistake_of_the_bank(check):
    assert KILLERS.get(check), f"no file of tests/bank/wrong or tests/bank/device has {check} in its KILLED_BY"


def test_the_bank_names_no_check_that_does_not_exist():
    assert set(KILLERS) - set(GRADED) == set()


@pytest.mark.parametrize("check", ADVICE)
def test_every_advice_is_there_for_a_habit_of_the_bank(check):
    faults = {entry.fault for entry in bank_loader.entries("advice")}

    assert CHECKS[check].catches
    assert set(CHECKS[check].catches) <= faults


@pytest.mark.parametrize("entry", bank_loader.entries("advice"), ids=lambda entry: entry.name)
def test_a_habit_is_seen_by_exactly_the_advice_that_names_it(entry, warm_runner, settings):
    expected = {check for check in ADVICE if entry.fault in CHECKS[check].catches}

    report = grade(entry.submission(), warm_runner, settings, seed=20, selected=ADVICE)

    assert report.graded
    assert {check.id for check in report.checks if check.outcome != "pass"} == expected
