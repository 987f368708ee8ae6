"""On a real GPU, and skipped elsewhere: what a pretended one cannot show. ``benchmarks/gpu.sh`` runs these."""

from __future__ import annotations

import bank_loader
import gpu_here
import pytest
from worker_probe import call

from grader.cli.check import runner_of, runner_on_gpu
from grader.doctor import gpu as doctor
from grader.errors import GraderError, Outcome
from grader.runners import gpus
from grader.runners.base import Limits
from grader.runners.leased import LeasedRunner
from grader.session import Place, grade

pytestmark = pytest.mark.gpu

SEED = 20261130
BREAKS = """
import torch

_right = apply_rope

def apply_rope(x, positions, base=10000.0):
    if not x.is_cuda:
        return _right(x, positions, base)
    {breaks}
    return _right(x, positions, base)
"""
ASSERT = "x.flatten()[torch.tensor([1 << 40], device=x.device)] + 0"
NO_MEMORY = "torch.empty(1 << 46, device=x.device)"
HANGS = "torch.cuda._sleep(1 << 50)"
INITIALISED = "import torch\ndef initialised():\n    return torch.cuda.is_initialized()\n"


@pytest.fixture
def runner(settings):
    """The local runner as ``grader check --device cuda`` has it."""
    gpu_here.needed()
    made = runner_of("local", settings, "cuda")
    yield made
    made.close()


@pytest.fixture
def graded(runner, settings):
    def run(submission, selected=None, **options):
        options = {"seed": SEED, "device": "cuda", "examples": False, "naming": False, **options}
        return grade(submission, runner, settings, selected=selected, **options)

    return run


def outcomes(report):
    assert report.graded, report.error
    return {check.id: check.outcome for check in report.checks}


def broken(submission_with, breaks):
    return submission_with(rope=BREAKS.format(breaks=breaks))


@pytest.mark.parametrize("submission", bank_loader.correct(), ids=lambda one: one.name)
def test_a_correct_submission_gets_every_point(submission, graded):
    report = graded(submission)

    assert {id: outcome for id, outcome in outcomes(report).items() if outcome is not Outcome.PASS} == {}
    assert (report.score, report.max_score) == (110, 110)


def test_both_devices_in_one_report(runner, warm_runner, settings):
    report = grade(
        bank_loader.base(), warm_runner, settings, seed=SEED, selected=["rope.base"], also=[Place("cuda", runner)]
    )

    assert report.checks[0].devices == {"cpu": Outcome.PASS, "cuda": Outcome.PASS}


@pytest.mark.parametrize(
    "entry", [one for one in bank_loader.entries("device") if one.only_on_hardware], ids=lambda one: one.name
)
def test_a_mistake_that_only_hardware_shows_fails_the_check_that_it_names(entry, graded):
    report = graded(entry.submission(), sorted(entry.killed_by))

    assert all(outcome is Outcome.FAIL for outcome in outcomes(report).values())


def test_a_device_side_assert_belongs_to_its_call_and_the_next_call_works(graded, submission_with):
    report = graded(broken(submission_with, ASSERT), ["rope.base", "norm.rmsnorm-values"])

    assert outcomes(report) == {"norm.rmsnorm-values": Outcome.PASS, "rope.base": Outcome.STUDENT_ERROR}
    assert report.checks[1].finding.message == "worker.device"


def test_after_an_assert_other_code_of_the_submission_is_still_graded(graded, submission_with):
    once = "if not torch.equal(positions[..., :1], positions[..., :1] * 0): " + ASSERT
    report = graded(broken(submission_with, once), ["rope.base", "rope.positions-offset", "ffn.swiglu-values"])

    assert outcomes(report) == {
        "rope.base": Outcome.PASS,
        "rope.positions-offset": Outcome.STUDENT_ERROR,
        "ffn.swiglu-values": Outcome.PASS,
    }


def test_no_memory_on_the_gpu_is_oom(graded, submission_with):
    report = graded(broken(submission_with, NO_MEMORY), ["rope.base"])

    assert outcomes(report) == {"rope.base": Outcome.OOM}


def test_a_kernel_that_hangs_is_a_timeout(settings, submission_with):
    gpu_here.needed()

    def make(gpu):
        one = runner_on_gpu("local", settings, gpu)
        one.limits = Limits(memory=0, call=3.0)
        return one

    selected = ["rope.head-axis", "ffn.swiglu-values"]
    runner = LeasedRunner(None, make)
    report = grade(broken(submission_with, HANGS), runner, settings, seed=SEED, device="cuda", selected=selected)

    assert outcomes(report) == {"rope.head-axis": Outcome.TIMEOUT, "ffn.swiglu-values": Outcome.PASS}


def test_the_process_that_forks_never_has_a_context(runner, submission_with):
    runner.take()
    worker = runner.start(submission_with(norm=INITIALISED).files)
    has_context = call(worker, "initialised")
    worker.close()

    assert has_context is False  # a worker is a fork: what it has, the other has
    assert doctor.computes(runner).holds


def test_a_gpu_that_a_round_holds_is_not_taken_by_another(runner):
    runner.take()

    others = [gpus.Lease(None, patience=0.0) for _ in gpus.visible()[1:]]
    with pytest.raises(GraderError, match="no GPU became free"):
        gpus.Lease(None, patience=0.0)
    runner.close()
    others.append(gpus.Lease(None, patience=0.0))
    for one in others:
        one.end()
