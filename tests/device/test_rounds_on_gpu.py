"""A round on a pretended GPU: what the worker says of devices, what goes wrong there, and the report of two devices."""

from __future__ import annotations

import bank_loader
import pytest
import torch

from grader.errors import Outcome
from grader.report import json_file
from grader.runners.base import Limits
from grader.session import Place, grade
from grader.wire import tensors

ROPE = ["rope.dtype", "rope.base"]
BREAKS_ONCE = """
import torch

_right, _called = apply_rope, []

def apply_rope(x, positions, base=10000.0):
    if _called or not x.is_cuda:
        return _right(x, positions, base)
    _called.append(1)
    {breaks}
    return _right(x, positions, base)
"""
NOW = 'raise RuntimeError("CUDA error: device-side assert triggered")'
LATE = """
    def settle():
        raise RuntimeError("CUDA error: device-side assert triggered")
    torch.cuda.synchronize = settle
"""
HANGS = """
    import time
    torch.cuda.synchronize = lambda: time.sleep(600)
"""
NO_MEMORY = 'raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")'


def outcomes(report):
    return {check.id: check.outcome for check in report.checks}


def breaking(submission_with, how):
    return submission_with(rope=BREAKS_ONCE.format(breaks=how))


# -- what is asked and said ----------------------------------------------------------------------------------------


def test_the_worker_computes_on_the_device_and_says_where_results_are(pretended_gpu, submission_with):
    asked = pretended_gpu.start(submission_with().files)
    request = {
        "check": "a",
        "op": "call",
        "target": "assignment1.kv_cache:KVCache",
        "arguments": {},
        "positional": 0,
        "construct": True,
        "device": "cuda:0",
    }
    cache = asked.ask(request, seconds=20)["value"]
    k = tensors.to_raw(torch.ones(1, 2, 1, 4))
    call = {"check": "a", "op": "call", "target": cache, "method": "append", "positional": 2, "device": "cuda:0"}
    both = asked.ask({**call, "arguments": {"k": k, "v": k}}, seconds=20)
    mixed = asked.ask({**call, "arguments": {"k": k, "v": k}, "elsewhere": {"v": "cpu"}}, seconds=20)
    plain = asked.ask({**call, "arguments": {"k": k, "v": k}, "device": "cpu", "target": cache}, seconds=20)
    asked.close()

    assert both["facts"]["devices"] == ["cuda:0", "cuda:0"]
    assert "different" not in str(both["value"])
    assert "same device" in mixed["error"]["message"]
    assert "same device" in plain["error"]["message"]  # the cache holds what the GPU gave it


def test_a_request_of_a_cpu_round_says_nothing_of_devices(warm_runner, settings, submission_with, monkeypatch):
    asked = []
    start = warm_runner.start

    def starting(files):
        worker = start(files)
        ask = worker.ask
        monkeypatch.setattr(worker, "ask", lambda request, **more: (asked.append(request), ask(request, **more))[1])
        return worker

    monkeypatch.setattr(warm_runner, "start", starting)
    report = grade(submission_with(), warm_runner, settings, seed=1, selected=ROPE)

    assert report.graded
    assert asked
    assert not any({"device", "elsewhere", "watch"} & set(request) for request in asked)


# -- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [NOW, LATE], ids=["at once", "when it is waited for"])
def test_an_error_of_the_device_belongs_to_its_call_and_the_next_gets_another_worker(
    how, graded_on_gpu, submission_with
):
    report = graded_on_gpu(breaking(submission_with, how), ROPE)
    broken = next(check for check in report.checks if check.finding)

    assert outcomes(report) == {"rope.base": Outcome.STUDENT_ERROR, "rope.dtype": Outcome.STUDENT_ERROR}
    assert broken.finding.message == "worker.device"
    assert "device-side assert" in broken.finding.text["en"]


def test_no_memory_on_the_device_is_oom(graded_on_gpu, submission_with):
    report = graded_on_gpu(breaking(submission_with, NO_MEMORY), ["rope.head-axis"])

    assert outcomes(report) == {"rope.head-axis": Outcome.OOM}


def test_a_device_that_never_answers_is_a_timeout(graded_on_gpu, submission_with, pretended_gpu, monkeypatch):
    monkeypatch.setattr(pretended_gpu, "limits", Limits(memory=0, call=2.0))

    report = graded_on_gpu(breaking(submission_with, HANGS), ["rope.head-axis", "norm.rmsnorm-values"])

    assert outcomes(report) == {"norm.rmsnorm-values": Outcome.PASS, "rope.head-axis": Outcome.TIMEOUT}


def test_a_device_that_cannot_be_used_is_no_zero(warm_runner, settings, submission_with):
    report = grade(submission_with(), warm_runner, settings, seed=1, device="cuda", selected=ROPE)  # there is none

    assert report.score is None
    assert "cuda cannot be used" in report.error


# -- two devices ---------------------------------------------------------------------------------------------------


def test_a_check_must_pass_on_both_devices(warm_runner, pretended_gpu, settings):
    entry = next(one for one in bank_loader.entries("device") if one.name == "norm_half_on_gpu")
    selected = ["norm.rmsnorm-values", "norm.layernorm-values", "device.output"]
    told = []

    report = grade(
        entry.submission(),
        warm_runner,
        settings,
        seed=4,
        selected=selected,
        also=[Place("cuda", pretended_gpu)],
        on_result=lambda result: told.append((result.id, dict(result.devices))),
    )
    failed = next(check for check in report.checks if check.id == "norm.rmsnorm-values")

    assert report.device == "cpu,cuda"
    assert outcomes(report) == {
        "norm.layernorm-values": Outcome.PASS,
        "norm.rmsnorm-values": Outcome.FAIL,
        "device.output": Outcome.PASS,
    }
    assert failed.devices == {"cpu": Outcome.PASS, "cuda": Outcome.FAIL}
    assert failed.finding.device == "cuda"
    assert (report.score, report.max_score) == (2, 3)
    assert ("norm.rmsnorm-values", {"cpu": Outcome.PASS}) in told
    assert ("norm.rmsnorm-values", {"cuda": Outcome.FAIL}) in told
    assert json_file.from_json(json_file.to_json(report)) == report


def test_a_mistake_has_its_name_on_a_gpu_too(pretended_gpu, settings):
    entry = next(one for one in bank_loader.entries("wrong") if one.name == "rope_half_split")
    report = grade(entry.submission(), pretended_gpu, settings, seed=4, device="cuda")

    assert [mistake.id for mistake in report.mistakes] == ["rope.half_split"]
    assert (report.naming_error, report.examples_error) == (None, None)
    assert any(check.outcome is Outcome.CARRIED_FORWARD for check in report.checks)


def test_the_same_seed_gives_the_same_report(graded_on_gpu, submission_with):
    first, second = (graded_on_gpu(submission_with()) for _ in range(2))

    assert first.model_copy(update={"timing": second.timing}) == second
