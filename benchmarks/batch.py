"""What a class costs: ``grader batch`` against one cold ``grader check`` a submission, and whether it stays flat.

Everything is run in one go on the same machine, so that only ratios are quoted.

    python benchmarks/batch.py [--count 300] [--cold 10] [--jobs 2] [--many 0] [--docker]

* throughput: seconds of N cold checks, from a sample of the same submissions, over seconds of the batch; and of N plain
  pytest suites of as many tests, without isolation (``plain/test_plain.py``)
* warm: seconds a correct submission takes in a warm slot, over the floor: the same checks called in one process without
  isolation. Both are measured with answers kept, and the floor also with an oracle that is asked anew each time
* memory: peak of all processes at N submissions over that at 30
* flat: seconds a submission at N (and at ``--many``) over those at 30, each without the first 20
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import bank_loader  # noqa: E402 - after the path

from grader.intake.submission import SubmissionFiles  # noqa: E402 - as above

WARM_UP = 20
EVERY = 1.0
"""Seconds between two looks at memory: a look takes the batch's own cores for a tenth of a second."""


def mixed() -> list[SubmissionFiles]:
    """Correct, wrong and hostile submissions; of the hostile those that end within seconds, as nearly all do."""
    correct = bank_loader.correct() + [one.submission() for one in bank_loader.entries("correct_parts")]
    wrong = [one.submission() for one in bank_loader.entries("wrong")]
    quick = ("answers_twice", "forged_answers", "exit_at_import", "nan_everywhere", "frame_walk", "patched_wire")
    hostile = [one.submission() for one in bank_loader.entries("hostile") if one.name in quick]
    third = zip(itertools.cycle(correct), wrong, itertools.cycle([*correct, *hostile]), strict=False)
    return [one for three in third for one in three]


def write_class(path: Path, count: int) -> None:
    """A zip as a platform makes it, with a small difference in each submission."""
    with zipfile.ZipFile(path, "w") as archive:
        for number, submission in zip(range(count), itertools.cycle(mixed()), strict=False):
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as inner:
                for name, text in submission.files.items():
                    inner.writestr(name, text)
                inner.writestr("assignment1/student.py", f"NUMBER = {number}\n")
            archive.writestr(f"student_{1000 + number}_{5000 + number}_hw.zip", packed.getvalue())


class Watched:
    """What a process and all below it use: memory at its largest, shared pages by their share, and CPU seconds."""

    def __init__(self, root: int) -> None:
        self._root, self.bytes, self._ended = root, 0, threading.Event()
        self._cpu: dict[int, float] = {}
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def cpu(self) -> float:
        """CPU seconds of all, those that have ended and were waited for included."""
        return sum(self._cpu.values())

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(EVERY):
            family = descendants(self._root)
            size = sum(map(proportional, family))
            if descendants(self._root) == family:  # else pages of one that ended meanwhile may have been counted twice
                self.bytes = max(self.bytes, size)
            self._cpu.update({pid: used for pid in family if (used := cpu_seconds(pid)) is not None})


def cpu_seconds(pid: int) -> float | None:
    """What a process has used, and those of its children that it waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def proportional(pid: int) -> int:
    """The process's proportional set size."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)


def descendants(root: int) -> set[int]:
    """The process and all below it; empty when it has ended."""
    try:
        return {root, *(child.pid for child in psutil.Process(root).children(recursive=True))}
    except psutil.NoSuchProcess:
        return set()


class Ran(NamedTuple):
    """A batch.

    Attributes:
        seconds: wall time.
        cpu: CPU seconds of all processes.
        memory: bytes, at its largest.
        moments: when each submission was settled.
    """

    seconds: float
    cpu: float
    memory: int
    moments: list[float]


def batch(source: Path, folder: Path, jobs: int, runner: str = "local") -> Ran:
    """Run ``grader batch`` as a process."""
    command = [sys.executable, "-m", "grader", "batch", str(source), "-o", str(folder), "--seed", "1"]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--jobs", str(jobs), "--runner", runner], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    watched, moments = Watched(process.pid), []
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("["):
            moments.append(time.perf_counter() - began)
    if process.wait():
        raise SystemExit("the batch failed")
    seconds = time.perf_counter() - began
    watched.end()
    return Ran(seconds, watched.cpu, watched.bytes, moments)


def pace(moments: list[float]) -> float:
    """Seconds a submission, once everything is warm."""
    skipped = min(WARM_UP, len(moments) // 2)
    return (moments[-1] - moments[skipped - 1]) / (len(moments) - skipped)


def cold(source: Path, folder: Path, count: int) -> tuple[float, float]:
    """Mean seconds and CPU seconds of a cold check, over submissions spread through the class."""
    with zipfile.ZipFile(source) as archive:
        names = archive.namelist()
        chosen = names[:: max(1, len(names) // count)][:count]
        seconds, before = [], children_cpu()
        for name in chosen:
            path = folder / name
            path.write_bytes(archive.read(name))
            began = time.perf_counter()
            command = [
                sys.executable,
                "-m",
                "grader",
                "check",
                str(path),
                "--seed",
                "1",
                "--json",
                str(folder / "r.json"),
            ]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
            seconds.append(time.perf_counter() - began)
    return statistics.mean(seconds), (children_cpu() - before) / len(seconds)


def plain(rounds: int = 3) -> float:
    """Median seconds of a plain suite."""
    import cold_check

    return statistics.median(cold_check.seconds(cold_check.PLAIN) for _ in range(rounds))


def children_cpu() -> float:
    """CPU seconds of the processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def warm_and_floor(rounds: int = 15) -> dict[str, float]:
    """Median seconds of a correct submission: in a warm slot, and without isolation, in turn."""
    import importlib

    from grader import settings
    from grader.catalogue import all_checks
    from grader.runners.in_process import InProcessRunner
    from grader.runners.kept import KeptRunner
    from grader.runners.local import LocalRunner
    from grader.session import Job, grade_each

    sys.path.insert(0, str(bank_loader.BANK / "correct" / bank_loader.BASE))

    def find(target: str) -> object:
        module, _, name = target.partition(":")
        loaded_module = importlib.import_module(module)
        return getattr(loaded_module, name) if name else None

    loaded, submission = settings.load(None, all_checks()), bank_loader.base()
    local, floor = KeptRunner(LocalRunner(loaded.limits.for_runner())), InProcessRunner(find)
    found: dict[str, list[float]] = {"warm": [], "floor": [], "floor, oracle asked anew": []}

    def jobs():
        for _ in range(rounds):
            yield Job(submission, local, loaded, seed=1)
            yield Job(submission, floor, loaded, seed=1)

    def note(report) -> None:
        found["warm" if report.runner == "local" else "floor"].append(report.timing.total)

    grade_each(jobs(), note, timeout=600)
    for seed in range(2, 2 + rounds // 2):
        grade_each(
            [Job(submission, floor, loaded, seed=seed)],
            lambda report: found["floor, oracle asked anew"].append(report.timing.total),
            timeout=600,
        )
    local.end()
    return {name: statistics.median(seconds[1:]) for name, seconds in found.items()}


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--cold", type=int, default=10, help="cold checks to time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--many", type=int, default=0, help="a larger class, for flatness")
    parser.add_argument("--docker", action="store_true", help="the docker runner too")
    parser.add_argument("--json", type=Path, help="write the figures here")
    wanted = parser.parse_args()
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for count in {30, wanted.count, wanted.many} - {0}:
            write_class(folder / f"{count}.zip", count)
        few = batch(folder / "30.zip", folder / "few", wanted.jobs)
        cold_seconds, cold_cpu = cold(folder / f"{wanted.count}.zip", folder, wanted.cold)
        ran = batch(folder / f"{wanted.count}.zip", folder / "run", wanted.jobs)
        figures["throughput over cold checks"] = wanted.count * cold_seconds / ran.seconds
        figures["throughput over plain suites"] = wanted.count * plain() / ran.seconds
        figures["CPU time of cold checks over the batch's"] = wanted.count * cold_cpu / ran.cpu
        figures["peak memory over that at 30"] = ran.memory / few.memory
        figures["seconds a submission over those at 30"] = pace(ran.moments) / pace(few.moments)
        if wanted.many:
            many = batch(folder / f"{wanted.many}.zip", folder / "many", wanted.jobs)
            figures[f"seconds a submission at {wanted.many} over those at {wanted.count}"] = pace(many.moments) / pace(
                ran.moments
            )
        if wanted.docker:
            docker = batch(folder / f"{wanted.count}.zip", folder / "docker", wanted.jobs, "docker")
            figures["docker batch's throughput over local"] = ran.seconds / docker.seconds
        print(f"cold check {cold_seconds:.2f} s ({cold_cpu:.2f} s of CPU)")
        print(f"batch of {wanted.count} on {wanted.jobs} places {ran.seconds:.1f} s ({ran.cpu:.1f} s of CPU)")
        print(f"peak memory {ran.memory >> 20} MiB at {wanted.count}, {few.memory >> 20} MiB at 30")
    medians = warm_and_floor()
    figures["warm over floor"] = medians["warm"] / medians["floor"]
    figures["warm over floor, oracle asked anew"] = medians["warm"] / medians["floor, oracle asked anew"]
    for name, figure in figures.items():
        print(f"{name:<55} {figure:.2f}")
    if wanted.json:
        wanted.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
