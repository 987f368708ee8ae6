"""The hostile bank bites: a careless grader gives it points, dies of it, or waits for it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import naive_grader
import pytest

pytestmark = [
    pytest.mark.bank,
    pytest.mark.skipif(sys.platform != "linux", reason="the careless grader forks with torch loaded"),
]


@pytest.fixture(scope="module")
def effects() -> dict[str, str]:
    """What each attack did to it; in a process of its own, since it forks."""
    script = Path(naive_grader.__file__)
    ended = subprocess.run(
        [sys.executable, script, "--json"], capture_output=True, text=True, check=True, timeout=200, cwd=script.parent
    )
    return json.loads(ended.stdout)


def test_it_grades_a_correct_submission(effects):
    assert effects.pop("a correct submission") == naive_grader.HELD


def test_a_quarter_of_the_attacks_win_points_and_as_many_end_it(effects):
    counts = Counter(effects.values())

    assert counts[naive_grader.WON] >= 25
    assert counts[naive_grader.KILLED] + counts[naive_grader.HUNG] >= 15


@pytest.mark.parametrize(
    ("attack", "effect"),
    [
        ("always_equal", naive_grader.WON),
        ("exit_pretending_success", naive_grader.WON),
        ("hidden_bias", naive_grader.WON),
        ("import_the_solution", naive_grader.WON),
        ("nan_everywhere", naive_grader.WON),
        ("zeroed_inputs", naive_grader.WON),
        ("segfault", naive_grader.KILLED),
        ("sys_exit_in_call", naive_grader.KILLED),
        ("swallow_every_exception", naive_grader.HUNG),
        ("object_with_reduce", naive_grader.HELD),
    ],
)
def test_known_attacks_have_the_effect_that_they_are_known_for(effects, attack, effect):
    assert effects[attack] == effect
