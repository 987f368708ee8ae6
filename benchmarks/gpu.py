"""The bank on one GPU: correct submissions get every point there, and mistakes are seen as on the CPU.

    python benchmarks/gpu.py [--jobs N] [--seconds N] [--pretend]

A mistake of tests/bank/wrong is seen when the checks that it names fail, as they do on the CPU (tests/test_bank.py).
``--pretend`` takes the GPU of tests/fake_accelerator.py, to try this program where there is none; mistakes that only
hardware shows are left out then.

Exit code 0 when all is as it should be, 1 when something is not or was not reached, 3 when there is no GPU.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import bank_loader

from grader import settings as course
from grader.catalogue import all_checks
from grader.errors import EARNING, GraderError
from grader.intake.submission import SubmissionFiles
from grader.runners import gpus
from grader.runners.base import Limits, Runner
from grader.runners.gpus import Gpu
from grader.runners.kept import KeptRunner
from grader.runners.leased import variables
from grader.runners.local import LocalRunner
from grader.session import Job, grade_each, own_timeout

NO_GPU = 3
SEED = 20261130


@dataclass(frozen=True)
class Work:
    """One submission, and what must come out.

    Attributes:
        kind: the row of the table.
        must_fail: checks; empty: every check must pass.
    """

    kind: str
    name: str
    submission: SubmissionFiles
    must_fail: frozenset[str] = frozenset()


def main() -> int:
    """Grade everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=8, help="submissions at a time, on the same GPU (default 8)")
    parser.add_argument("--seconds", type=float, default=420.0, help="what is not graded by then is not (default 420)")
    parser.add_argument("--pretend", action="store_true", help="without a GPU, to try this program")
    parser.add_argument("--only", default="", help="only entries whose name holds this text")
    given = parser.parse_args()
    lease, gpu = None, Gpu("pretended", "pretended")
    if not given.pretend:
        try:
            gpus.needed(["cuda"])
            gpus.torch_needed()
            lease = gpus.Lease(None)
        except GraderError as error:
            print(f"no GPU here: {error}")
            return NO_GPU
        gpu = lease.gpu
    print(f"GPU {gpu.id}: {gpu.name or '?'}, {gpu.memory} MiB, driver {gpu.driver or '?'}", flush=True)
    work = [one for one in everything(pretend=given.pretend) if given.only in one.name]
    began = time.monotonic()
    wrong = run(work, gpu, given, began + given.seconds)
    if lease is not None:
        lease.end()
    print(f"\n{'':<22} {'entries':>7} {'as they should':>14} {'not':>4} {'not reached':>11}")
    for kind in dict.fromkeys(one.kind for one in work):
        of_kind = [one.name for one in work if one.kind == kind]
        bad = [name for name in of_kind if wrong.get(name)]
        missed = [name for name in of_kind if name not in wrong]
        right = len(of_kind) - len(bad) - len(missed)
        print(f"{kind:<22} {len(of_kind):>7} {right:>14} {len(bad):>4} {len(missed):>11}")
    print(f"\n{time.monotonic() - began:.0f} s with {given.jobs} processes")
    for name, why in wrong.items():
        if why:
            print(f"  {name}: {why}")
    return 0 if len(wrong) == len(work) and not any(wrong.values()) else 1


def everything(*, pretend: bool) -> Iterator[Work]:
    """The bank, the slow ones first."""
    for submission in bank_loader.correct():
        yield Work("correct, whole styles", submission.name, submission)
    for entry in bank_loader.entries("correct_parts"):
        yield Work("correct, parts", entry.name, entry.submission())
    for folder in ("device", "wrong"):
        for entry in bank_loader.entries(folder):
            if not (pretend and folder == "device" and entry.only_on_hardware):
                must_fail = frozenset(entry.killed_by)
                yield Work(f"mistakes, {folder}", f"{folder}/{entry.name}", entry.submission(), must_fail)


def run(work: list[Work], gpu: Gpu, given: argparse.Namespace, deadline: float) -> dict[str, str]:
    """By name what is wrong with each verdict, empty where it is as it should be; without what was not reached."""
    found: dict[str, str] = {}
    spawn = multiprocessing.get_context("spawn")  # a fork of a process with torch's threads may hang
    parts = [work[index :: given.jobs * 4] for index in range(given.jobs * 4)]
    with ProcessPoolExecutor(given.jobs, mp_context=spawn) as pool:
        futures = [pool.submit(graded, part, gpu, given.pretend, deadline - time.monotonic()) for part in parts if part]
        for future in as_completed(futures):
            found.update(future.result())
            print(f"\r{len(found)} of {len(work)}", end="", flush=True)
    return {one.name: found[one.name] for one in work if one.name in found}


def graded(work: list[Work], gpu: Gpu, pretend: bool, seconds: float) -> dict[str, str]:
    """Grade a part of the bank in this process, until the time is over."""
    loaded = course.load(None, all_checks())
    runner, deadline = KeptRunner(_runner(gpu, pretend)), time.monotonic() + seconds
    found: dict[str, str] = {}
    taken: list[Work] = []

    def jobs() -> Iterator[Job]:
        for one in work:
            if time.monotonic() > deadline:
                return
            taken.append(one)
            selected = sorted(one.must_fail) or None
            yield Job(
                one.submission,
                runner,
                loaded,
                seed=SEED,
                device="cuda",
                selected=selected,
                naming=False,
                examples=False,
            )

    def done(report) -> None:
        one = taken[-1]
        failed = {check.id for check in report.checks if not check.advice and check.outcome not in EARNING}
        if not report.graded:
            found[one.name] = f"not graded: {report.error}"
        elif one.must_fail:
            found[one.name] = ", ".join(f"{check} passes" for check in sorted(one.must_fail - failed))
        else:
            found[one.name] = ", ".join(f"{check} fails" for check in sorted(failed))

    try:
        grade_each(jobs(), done, timeout=own_timeout(runner))
    finally:
        runner.end()
    return found


def _runner(gpu: Gpu, pretend: bool) -> Runner:
    if pretend:
        from gpu_pretended import PretendedGpuRunner

        return PretendedGpuRunner()
    return LocalRunner(replace(Limits(), memory=0), environment=variables(gpu))


if __name__ == "__main__":
    sys.exit(main())
