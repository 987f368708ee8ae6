"""What is kept from one submission to the next makes no difference but time, and is bounded."""

from __future__ import annotations

import json
from dataclasses import replace

import bank_loader
import pytest
import torch

from grader.diagnosis.memory import Memory
from grader.errors import RunnerUnavailable
from grader.numerics.draw import Draw
from grader.oracle.kept import KeptAnswers, _KeptOracle
from grader.oracle.live import Oracle
from grader.report import json_file
from grader.session import Job, grade, grade_each
from grader.transcript import Exchange, Transcript
from grader.wire.codec import Handle, RawTensor

NAMES = ("rope_fp16_inside", "attn_scale_inverted", "cache_slot_stuck", "norm_dtype_promote", "block_shared_norm")


def text(report) -> str:
    values = json.loads(json_file.to_json(report))
    del values["timing"]
    return json.dumps(values)


@pytest.mark.bank
def test_a_class_gets_the_reports_that_each_would_get_alone(warm_runner, settings):
    known = {one.name: one.submission() for one in bank_loader.entries("wrong")}
    chosen = [bank_loader.base(), *(known[name] for name in NAMES)]
    found = []

    jobs = [Job(one, warm_runner, settings, seed=7) for one in [*chosen, *reversed(chosen)]]
    grade_each(jobs, lambda report: found.append(text(report)), timeout=250)

    alone = [text(grade(one, warm_runner, settings, seed=7)) for one in chosen]
    assert found[: len(chosen)] == alone
    assert found[len(chosen) :] == alone[::-1]


ENDINGS = {"rope": "import os\nos._exit(3)", "norm": "raise OSError", "ffn": "while True: pass"}


@pytest.mark.parametrize("part", ENDINGS)
def test_checks_that_end_badly_end_alike_with_pytest_and_without(
    part, warm_runner, settings, submission_with, monkeypatch
):
    monkeypatch.setattr(warm_runner, "limits", replace(warm_runner.limits, load=1.0))
    found, submission = [], submission_with(replace=True, **{part: ENDINGS[part]})

    job = Job(submission, warm_runner, settings, seed=3)
    grade_each([job], lambda report: found.append(text(report)), timeout=250)

    assert found == [text(grade(submission, warm_runner, settings, seed=3))]


@pytest.mark.parametrize("fault", [ValueError("of ours"), RunnerUnavailable("no worker"), SystemExit(3)])
def test_a_fault_of_ours_is_told_alike_with_pytest_and_without(fault, warm_runner, settings, monkeypatch):
    found, wanted = [], ["norm.rmsnorm-values", "rope.frequencies", "ffn.swiglu-values"]

    def raising(self, *given):
        raise fault

    monkeypatch.setattr(Oracle, "rope_frequencies", raising)
    monkeypatch.setattr(_KeptOracle, "rope_frequencies", raising)
    job = Job(bank_loader.base(), warm_runner, settings, seed=3, selected=wanted)
    grade_each([job], lambda report: found.append(text(report)), timeout=250)

    assert found == [text(grade(bank_loader.base(), warm_runner, settings, seed=3, selected=wanted))]
    assert str(fault) in json.loads(found[0])["error"]


def test_one_round_leaves_nothing_to_the_next(warm_runner, settings, submission_with):
    broken, right = submission_with(rope="raise OSError", replace=True), bank_loader.base()
    wanted = ["rope.frequencies", "norm.rmsnorm-values"]
    found = []

    jobs = [Job(one, warm_runner, settings, seed=1, selected=wanted) for one in (right, broken, right)]
    jobs.append(Job(right, warm_runner, settings, seed=1, selected=wanted[:1]))
    grade_each(jobs, found.append, timeout=250)

    assert [[check.outcome.value for check in report.checks] for report in found[:3]] == [
        ["pass", "pass"],
        ["pass", "student_error"],
        ["pass", "pass"],
    ]
    assert [check.id for check in found[3].checks] == wanted[:1]


def test_an_answer_is_computed_once_for_the_same_question(monkeypatch):
    asked = []
    real = Oracle._by_noise
    monkeypatch.setattr(Oracle, "_by_noise", lambda self, *given: asked.append(1) or real(self, *given))
    kept, draw = KeptAnswers(), Draw(1, "x")
    q, k = draw.normal(1, 4, 2, 8), draw.normal(1, 4, 2, 8)

    first = kept.oracle(5).grouped_query_attention(q, k, k)
    again = kept.oracle(5).grouped_query_attention(q.clone(), k.clone(), k)
    other_seed = kept.oracle(6).grouped_query_attention(q, k, k)
    other_bits = kept.oracle(5).grouped_query_attention(torch.nextafter(q, q + 1), k, k)
    other_option = kept.oracle(5).grouped_query_attention(q, k, k, causal=False)

    assert first is again
    assert len({id(one) for one in (first, other_seed, other_bits, other_option)}) == 4
    assert len(asked) == 4
    assert torch.equal(first.bound, Oracle(5).grouped_query_attention(q, k, k).bound)


def test_what_the_oracle_said_is_forgotten_when_it_is_too_much():
    kept, computed = KeptAnswers(most=1000), []

    def answer(number):
        return kept.get(number, 400, lambda: computed.append(number) or number)

    for number in (1, 2, 1, 3, 1, 2):
        answer(number)

    assert computed == [1, 2, 3, 2]


def exchange(number: int, data: bytes, answer: bytes) -> Exchange:
    request = {
        "op": "call",
        "check": "differs",
        "target": Handle(number),
        "arguments": {"x": RawTensor("uint8", (1,), data)},
    }
    return Exchange(request, {"value": RawTensor("uint8", (1,), answer), "facts": {}})


def test_requests_count_and_neither_handles_nor_names_of_cases_nor_answers():
    memory = Memory()
    one, other = Transcript([exchange(3, b"a", b"x")]), Transcript([exchange(9, b"a", b"y")])
    another = Transcript([exchange(3, b"b", b"x")])

    assert memory.requests(one) == memory.requests(other) != memory.requests(another)
    assert memory.whole([one]) != memory.whole([other])


def test_a_transcript_that_grew_is_read_again():
    memory, growing = Memory(), Transcript([exchange(3, b"a", b"x")])
    before = memory.requests(growing)

    growing.exchanges.append(exchange(3, b"b", b"x"))

    assert memory.requests(growing)[: len(before)] == before
    assert len(memory.requests(growing)) == 2


def test_answers_of_models_are_forgotten_when_they_are_too_much():
    memory = Memory(most=20_000)
    for number in range(10):
        memory.keep_answer(number, {"value": RawTensor("uint8", (500,), bytes(500))})

    assert memory.answer(0) is None
    assert memory.answer(9) is not None
