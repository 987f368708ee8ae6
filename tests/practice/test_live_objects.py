"""``grader.check`` on live objects: which checks run, what it says, and what it refuses."""

from __future__ import annotations

import importlib
import subprocess
import sys
from fnmatch import fnmatchcase

import pytest
from torch import nn

import grader
import reference.norm
import reference.rope
from grader.catalogue import all_checks
from grader.contract import MODULE_OF
from grader.devices import needs_gpu
from grader.errors import Outcome, UsageError
from grader.intake.submission import SubmissionFiles
from grader.needed_names import names_by_check
from grader.practice.result import Practice
from grader.runners.in_process import InProcessRunner
from grader.session import grade

CHECKS = all_checks()
WHOLE = {name: getattr(importlib.import_module(f"reference.{module}"), name) for name, module in MODULE_OF.items()}


def half_split(x, positions, base=10000.0):
    """The rotation of pairs (i, i + d/2)."""
    half = x.shape[-1] // 2
    order = [index for pair in range(half) for index in (pair, pair + half)]
    back = sorted(range(2 * half), key=order.__getitem__)
    return reference.rope.apply_rope(x[..., order], positions, base)[..., back]


class BrokenNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(reference.norm.RMSNorm(dim).weight.detach())

    def forward(self, x):
        raise OSError("<b>no</b> [red]such[/red] thing")


# -- which checks run ---------------------------------------------------------------------------------------------


def test_the_names_that_checks_need_are_those_that_another_right_program_is_asked_for(settings):
    runner = InProcessRunner(lambda target: WHOLE.get(target.partition(":")[2]))
    asked = {}

    report = grade(
        SubmissionFiles("the solution", {}),
        runner,
        settings,
        seed=3,
        on_result=lambda result: asked.update({result.id: runner.take_called()}),
    )

    assert report.score == report.max_score == 100
    assert asked == names_by_check(settings)
    assert set(asked) == {check for check in CHECKS if not needs_gpu(check)}
    assert all(asked.values())


def test_checks_of_the_names_that_were_given_run_and_no_other_counts():
    result = grader.check(RMSNorm=WHOLE["RMSNorm"])

    assert [check.id for check in result.report.checks] == [one for one in CHECKS if fnmatchcase(one, "norm.rmsnorm-*")]
    assert result.score == result.max_score == len(result.report.checks)
    assert {check.outcome for check in result.report.checks} == {Outcome.PASS}


def test_a_check_that_needs_two_names_runs_when_both_are_there():
    alone = grader.check(RMSNorm=WHOLE["RMSNorm"])
    both = grader.check(RMSNorm=WHOLE["RMSNorm"], LayerNorm=WHOLE["LayerNorm"])

    of_both = {"norm.parameters", "norm.gradients", "norm.no-side-effects", "advice.gamma-before-cast"}
    assert of_both & {check.id for check in alone.report.checks} == set()
    assert of_both <= {check.id for check in both.report.checks}


def test_the_whole_assignment_can_be_given():
    assert grader.check(**WHOLE).score == 100


def test_one_seed_gives_the_same_text():
    texts = {str(grader.check(apply_rope=half_split, seed=7)) for _ in range(2)}

    assert len(texts) == 1
    assert str(grader.check(apply_rope=half_split)) not in texts


# -- what it says -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def practice():
    return grader.check(apply_rope=half_split, RMSNorm=BrokenNorm, seed=7)


def test_a_mistake_is_named_as_for_files(practice):
    assert [one.id for one in practice.report.mistakes] == ["rope.half_split"]
    assert "Mistake: Pairs component i with i + d/2" in str(practice)


def test_the_students_own_line_is_shown(practice):
    line = BrokenNorm.forward.__code__.co_firstlineno + 1
    assert f'test_live_objects.py:{line} in forward: raise OSError("' in str(practice)


def test_the_report_says_that_nothing_is_isolated(practice):
    report = practice.report

    assert (report.runner, report.isolation, report.trusted) == ("in-process", "in-process", False)
    assert "nothing is isolated, and no time limit holds" in str(practice).replace("\n", " ")
    assert "没有任何隔离" in report.trust["zh"]


def test_text_and_repr_are_what_the_terminal_shows(practice):
    lines = str(practice).splitlines()

    assert repr(practice) == str(practice)
    assert lines[0].split()[:3] == ["\N{BALLOT X}", "0/1", "norm.rmsnorm-values"]
    assert any(line.startswith(f"Score {practice.score} of {practice.max_score} of the selected") for line in lines)
    assert "\x1b" not in str(practice)
    assert "[red]such[/red]" in str(practice)


def test_text_holds_no_character_that_the_stream_cannot_encode(practice, monkeypatch):
    class Narrow:
        encoding = "cp936"

    monkeypatch.setattr(sys, "stdout", Narrow())
    text = str(practice)

    assert text.encode("cp936")
    assert text.startswith("X ")


def test_html_is_coloured_and_escapes_what_the_submission_says(practice):
    html = practice._repr_html_()

    assert html.startswith("<pre style=")
    assert "color: #800000" in html
    assert "&lt;b&gt;no&lt;/b&gt;" in html
    assert "<b>" not in html
    assert "\x1b" not in html


def test_the_language_can_be_chosen():
    text = str(grader.check(swiglu_hidden_dim=WHOLE["swiglu_hidden_dim"], lang="zh"))

    assert "得分 1 / 1" in text
    assert "练习运行" in text


# -- what it refuses ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "nothing to check; name what you wrote"),
        ({"apply_ropes": half_split}, r"the assignment has no apply_ropes; did you mean apply_rope\?"),
        ({"zzzz": half_split}, "the assignment has no zzzz; it has LayerNorm, RMSNorm"),
        ({"apply_rope": 3}, "apply_rope is to be a function or a class, got int"),
        ({"apply_rope": half_split, "lang": "fr"}, "lang is one of en, zh, got 'fr'"),
    ],
    ids=["nothing", "misspelled", "unknown", "no function", "language"],
)
def test_what_cannot_be_checked_is_one_sentence(given, said):
    with pytest.raises(UsageError, match=f"^{said}"):
        grader.check(**given)


def test_an_interrupt_ends_the_run_instead_of_failing_a_check():
    calls = []

    def endless(dim, multiple_of=1):
        calls.append(dim)
        raise KeyboardInterrupt  # what the notebook's stop button raises wherever the code is

    with pytest.raises(KeyboardInterrupt):
        grader.check(swiglu_hidden_dim=endless, kv_cache_bytes=endless)

    assert len(calls) == 1


def test_exit_in_the_submission_ends_a_check_and_not_the_notebook():
    def leaving(dim, multiple_of=1):
        raise SystemExit(3)

    result = grader.check(swiglu_hidden_dim=leaving)

    assert [check.outcome for check in result.report.checks] == [Outcome.STUDENT_ERROR]
    assert isinstance(result, Practice)


def test_the_package_stays_light_until_it_is_asked_for():
    program = (
        "import sys; before = set(sys.modules); import grader\n"
        "assert not {'torch', 'pytest', 'rich', 'pydantic'} & set(sys.modules) - before\n"
        "assert not hasattr(grader, 'chek')\n"
        "assert callable(grader.check) and callable(grader.load_ipython_extension)\n"
        "assert 'torch' in sys.modules"
    )

    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr
