"""What models say beforehand of small cases spares asking, and changes no example."""

from __future__ import annotations

import json

import bank_loader
import pytest
import torch

from grader.contract import ModuleSpec
from grader.counterexample.foreseen import Foreseen
from grader.counterexample.steps import Step
from grader.diagnosis.mistakes import all_mistakes
from grader.report import json_file
from grader.session import grade

SAMPLE = ("norm_affine_ignored", "cache_decode_pos_zero")


def steps(gamma: float) -> list[Step]:
    spec = ModuleSpec("RMSNorm", {"dim": 2}, {"weight": torch.full((2,), gamma)})
    build = Step("build", spec.name, arguments=spec.arguments, weights=spec.weights)
    return [build, Step("call", spec.name, on=0, arguments={"x": torch.tensor([[1.0, 3.0]])})]


@pytest.fixture
def ignored():
    return [all_mistakes()["norm.affine_ignored"]]


@pytest.mark.parametrize(("gamma", "shows"), [(1.0, False), (2.0, True)])
def test_a_weight_that_is_ignored_shows_only_where_it_is_not_one(gamma, shows, ignored):
    assert Foreseen(1 << 20).may_show(steps(gamma), ignored, "values.differ") is shows


@pytest.mark.parametrize(("message", "shows"), [("values.differ", False), ("gradients.none", True)])
def test_a_gradient_that_is_missing_is_no_wrong_number(message, shows, ignored):
    build, call = steps(1.0)
    pulled = Step("gradients", call.name, on=0, arguments=call.arguments, cotangent=torch.ones(1, 2))

    assert Foreseen(1 << 20).may_show([build, pulled], ignored, message) is shows


def test_nothing_is_foreseen_without_a_name_or_of_what_remembers():
    lasting = [one for one in all_mistakes().values() if one.is_lasting][:1]

    assert Foreseen(1 << 20).may_show(steps(1.0), [], "values.differ")
    assert Foreseen(1 << 20).may_show(steps(1.0), lasting, "values.differ")


def test_how_a_tensor_lies_in_memory_is_part_of_the_question(ignored):
    foreseen, (build, call) = Foreseen(1 << 20), steps(2.0)
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

    for given in (x, x.t(), x.t().contiguous()):
        foreseen.may_show([build, Step("call", call.name, on=0, arguments={"x": given})], ignored, "values.differ")

    assert len(foreseen._known) == 2 * 3


def test_walks_are_forgotten_when_they_are_too_much(ignored):
    foreseen = Foreseen(12_000)
    for gamma in range(2, 12):
        foreseen.may_show(steps(float(gamma)), ignored, "values.differ")

    assert 0 < len(foreseen._known) < 10
    assert foreseen._bytes <= 12_000


@pytest.mark.bank
@pytest.mark.parametrize("name", SAMPLE)
def test_examples_are_those_that_asking_finds(name, warm_runner, settings, monkeypatch):
    submission = {one.name: one.submission() for one in bank_loader.entries("wrong")}[name]
    foreseen = json.loads(json_file.to_json(grade(submission, warm_runner, settings, seed=2)))

    monkeypatch.setattr(Foreseen, "may_show", lambda self, steps, mistakes, message: True)
    monkeypatch.setattr(Foreseen, "right", lambda self, steps: None)
    report = json.loads(json_file.to_json(grade(submission, warm_runner, settings, seed=2)))

    del report["timing"], foreseen["timing"]
    assert report == foreseen
