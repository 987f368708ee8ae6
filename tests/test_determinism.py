"""The verdict does not depend on threads, vector instructions, flags or the seed."""

from __future__ import annotations

import pytest
from bank_loader import BANK

from grader import settings
from grader.catalogue import all_checks
from grader.intake.submission import SubmissionFiles
from grader.runners.local import LocalRunner
from grader.selftest.bank import Bank
from grader.session import grade

SETTINGS = {
    "no vector instructions": {"ATEN_CPU_CAPABILITY": "default"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "avx512": {"ATEN_CPU_CAPABILITY": "avx512"},
    "oneDNN without AMX": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"},
    "oneDNN up to AVX2": {"ONEDNN_MAX_CPU_ISA": "AVX2"},
}
WRONG = "rope_low_precision_tables"  # the narrowest kind: 2^-9 relative, in bf16 outputs only


@pytest.fixture(scope="module")
def submissions() -> dict[str, SubmissionFiles]:
    bank = Bank(BANK)
    wrong = next(entry for entry in bank.wrong() if entry.name == WRONG)
    return {"correct": bank.base, "wrong": wrong.submission}


def verdict(submission: SubmissionFiles, *, seed: int = 1, **environment: str) -> dict[str, str]:
    report = grade(submission, LocalRunner(environment=environment), settings.load(None, all_checks()), seed=seed)
    assert report.graded
    return {check.id: str(check.outcome) for check in report.checks if not check.advice}


def with_line(submission: SubmissionFiles, line: str) -> SubmissionFiles:
    start = submission.files.get("assignment1/__init__.py", "")
    return SubmissionFiles(submission.name, {**submission.files, "assignment1/__init__.py": f"{start}\n{line}\n"})


@pytest.mark.parametrize("kind", ["correct", "wrong"])
@pytest.mark.parametrize("environment", SETTINGS.values(), ids=SETTINGS)
def test_vector_instructions_change_no_verdict(kind, environment, submissions):
    assert verdict(submissions[kind], **environment) == verdict(submissions[kind])


@pytest.mark.parametrize("kind", ["correct", "wrong"])
@pytest.mark.parametrize("threads", [2, 4])
def test_threads_change_no_verdict(kind, threads, submissions):
    threaded = with_line(submissions[kind], f"import torch; torch.set_num_threads({threads})")

    assert verdict(threaded) == verdict(submissions[kind])


def test_every_call_has_one_thread_whatever_the_submission_sets(submissions):
    """Two workers of two threads on two cores wait for each other ten times as long as they compute."""
    counting = """
import torch
torch.set_num_threads(4)
def kv_cache_bytes(*given):
    found = torch.get_num_threads()
    torch.set_num_threads(4)
    return found
"""
    worker = LocalRunner(fork=False).start({"assignment1/__init__.py": "", "assignment1/kv_cache.py": counting})
    asked = {"op": "call", "target": "assignment1.kv_cache:kv_cache_bytes", "positional": 0, "arguments": {}}
    try:
        worker.ask({"op": "import", "module": "assignment1.kv_cache"}, seconds=60)
        assert [worker.ask(asked, seconds=60)["value"] for _ in range(2)] == [1, 1]
    finally:
        worker.close()


@pytest.mark.parametrize("seed", [2, 3, 4])
@pytest.mark.parametrize("kind", ["correct", "wrong"])
def test_seed_changes_no_verdict(kind, seed, submissions):
    assert verdict(submissions[kind], seed=seed) == verdict(submissions[kind])


@pytest.mark.parametrize(
    "line",
    [
        'import torch; torch.set_float32_matmul_precision("medium")',
        "import torch; torch.set_default_dtype(torch.float64)",
        "import torch; torch.set_default_dtype(torch.bfloat16)",
        "import torch; torch.set_grad_enabled(False)",
        "import torch; torch.set_flush_denormal(True)",
        'import torch; torch.set_autocast_enabled("cpu", True)',
        'import torch; torch.backends.mkldnn.matmul.fp32_precision = "bf16"',
    ],
    ids=["matmul precision", "default fp64", "default bf16", "no grad", "flush denormals", "autocast", "oneDNN bf16"],
)
def test_flags_set_at_import_change_no_verdict(line, submissions):
    assert verdict(with_line(submissions["correct"], line)) == verdict(submissions["correct"])
