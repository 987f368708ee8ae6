"""What ends in a part that does not run is blocked: it earns nothing, and is no second mistake."""

from __future__ import annotations

import pytest

from grader.contract import AREAS, MODULE_OF, inner_names
from grader.errors import Outcome
from grader.session import grade

RAISES = """
def apply_rope(x, positions, base=10000.0):
    return x.rotate(positions)
"""
NOT_WRITTEN = """
def apply_rope(x, positions, base=10000.0):
    raise NotImplementedError("apply_rope")
"""
ONLY_FLAT = """
_right = apply_rope
def apply_rope(x, positions, base=10000.0):
    if positions.dim() == 2:
        raise RuntimeError("no batches, please")
    return _right(x, positions, base)
"""
BAD_CALL = """
_right = apply_rope
class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, positions=None, cache=None):
        return _right(x, "nowhere")
"""
DIES = """
def apply_rope(x, positions, base=10000.0):
    import os
    os._exit(3)
"""
NO_CACHE = """
class KVCache:
    def __init__(self):
        raise NotImplementedError("KVCache")
"""
CALLS_ITSELF = """
class GroupedQueryAttention(GroupedQueryAttention):
    def forward(self, x, positions=None, cache=None):
        raise NotImplementedError("later")
"""


@pytest.fixture
def checks(warm_runner, settings, submission_with):
    def of(**modules):
        report = grade(submission_with(**modules), warm_runner, settings, seed=3)
        assert report.graded
        return {check.id: check for check in report.checks if not check.advice}

    return of


def blocked(found):
    return {check: one.blocked_by for check, one in found.items() if one.outcome is Outcome.BLOCKED}


@pytest.mark.parametrize("rope", [RAISES, NOT_WRITTEN, DIES])
def test_a_whole_that_ends_in_a_part_that_never_runs_is_blocked_by_it(checks, rope):
    found = checks(rope=rope)

    names = blocked(found)
    assert names["gqa.values"] == names["block.decode"] == names["transformer.values"] == ["apply_rope"]
    assert not any(check.startswith(("rope.", "norm.", "ffn.", "attention.")) for check in names)
    assert found["rope.adjacent-pairs"].outcome in (Outcome.STUDENT_ERROR, Outcome.CRASH)
    assert sum(found[check].points for check in names) == 0


def test_a_file_that_cannot_be_read_blocks_what_imports_it(checks):
    found = checks(rope="def broken(:\n")

    names = blocked(found)
    assert names["gqa.values"] == names["block.values"] == list(AREAS["rope"])
    assert names["attention.values"] == list(AREAS["rope"])  # the same module holds the layer, and imports rope
    assert found["rope.adjacent-pairs"].outcome is Outcome.STUDENT_ERROR
    assert found["ffn.swiglu-values"].outcome is Outcome.PASS


def test_a_name_that_is_missing_blocks_the_module_that_imports_it(checks):
    found = checks(rope="\ndel apply_rope\n")

    assert blocked(found)["gqa.values"] == ["apply_rope"]
    assert found["rope.adjacent-pairs"].finding.message.startswith("submission.missing-name")


def test_decoding_is_blocked_by_a_cache_that_is_not_written(checks):
    found = checks(kv_cache=NO_CACHE)

    names = blocked(found)
    assert names["gqa.decode-continues"] == ["KVCache"]
    assert "cache.starts-empty" not in names
    assert "gqa.values" not in names
    assert found["gqa.values"].outcome is Outcome.PASS


def test_a_part_that_runs_blocks_nothing(checks):
    found = checks(rope=ONLY_FLAT)

    assert blocked(found) == {}
    assert found["rope.positions-batched"].outcome is Outcome.STUDENT_ERROR


def test_a_bad_call_of_a_right_part_is_the_callers_own_mistake(checks):
    found = checks(attention=BAD_CALL)

    assert "gqa.values" not in blocked(found)
    assert found["gqa.values"].outcome is Outcome.STUDENT_ERROR
    assert blocked(found)["block.values"] == ["GroupedQueryAttention"]


def test_what_is_not_written_itself_is_not_blocked(checks):
    found = checks(attention=CALLS_ITSELF)

    assert "gqa.values" not in blocked(found)
    assert blocked(found)["transformer.values"] == ["GroupedQueryAttention"]


def test_a_module_that_ends_the_process_when_it_is_imported_costs_its_own_checks(checks):
    found = checks(block="import os\nos._exit(0)\n")

    assert blocked(found) == {}
    assert found["block.values"].outcome is found["transformer.values"].outcome is Outcome.CRASH
    assert found["gqa.values"].outcome is Outcome.PASS


def test_without_the_checks_of_the_part_nobody_says_that_it_never_runs(warm_runner, settings, submission_with):
    report = grade(submission_with(rope=RAISES), warm_runner, settings, seed=3, selected=["gqa.values"])

    assert [check.outcome for check in report.checks] == [Outcome.STUDENT_ERROR]


def test_every_name_belongs_to_one_area_and_is_built_from_names_of_the_contract():
    listed = [name for names in AREAS.values() for name in names]

    assert sorted(listed) == sorted(MODULE_OF)
    assert all(inner_names(name) <= set(MODULE_OF) - {name} for name in MODULE_OF)
