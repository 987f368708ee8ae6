"""The GPUs of this machine, and whether a worker of the local runner computes on one behind all of its defences."""

from __future__ import annotations

from collections.abc import Callable

from grader.doctor.limits import Finding
from grader.errors import GraderError, WorkerLost
from grader.runners.base import Runner
from grader.runners.gpus import Gpu, torch_needed, visible
from grader.wire.codec import RawTensor, Value

_PROBE = {"assignment1/__init__.py": "", "assignment1/probe.py": "def doubled(x):\n    return x + x\n"}
_ONE_TWO, _TWO_FOUR = b"\x00\x00\x80\x3f\x00\x00\x00\x40", b"\x00\x00\x00\x40\x00\x00\x80\x40"  # FP32
_SECONDS = 60.0
_ROW, _WANTED = "worker on a gpu", "computes"


def findings(make: Callable[[Gpu], Runner]) -> list[Finding]:
    """A row for each GPU, and one for what a worker can do with the first.

    Args:
        make: the local runner with this GPU.
    """
    there = visible()
    if not there:
        return [Finding("gpu", "", "none: checks of devices are skipped, and worth nothing")]
    listed = [Finding(f"gpu cuda:{number}", "", _said(gpu)) for number, gpu in enumerate(there)]
    return [*listed, _worker_on(there[0], make)]


def _said(gpu: Gpu) -> str:
    known = [gpu.name, f"{gpu.memory} MiB" if gpu.memory else "", f"driver {gpu.driver}" if gpu.driver else ""]
    return ", ".join(filter(None, known)) or "found, but its driver says nothing"


def _worker_on(gpu: Gpu, make: Callable[[Gpu], Runner]) -> Finding:
    try:
        torch_needed()
    except GraderError as error:
        return Finding(_ROW, _WANTED, str(error), holds=False)
    return computes(make(gpu))


def computes(runner: Runner) -> Finding:
    """Whether a worker of ``runner`` adds two numbers on its GPU; the runner is ended."""
    request: dict[str, Value] = {
        "op": "call",
        "check": "",
        "target": "assignment1.probe:doubled",
        "arguments": {"x": RawTensor("float32", (2,), _ONE_TWO)},
        "positional": 1,
        "device": "cuda:0",
    }
    try:
        worker = runner.start(_PROBE)
        answer = worker.ask(request, seconds=_SECONDS)
        worker.close()
    except (GraderError, WorkerLost) as lost:
        return Finding(_ROW, _WANTED, str(lost)[:300], holds=False)
    finally:
        runner.close()
    error, value, facts = answer.get("error"), answer.get("value"), answer.get("facts")
    if isinstance(error, dict):
        return Finding(_ROW, _WANTED, str(error.get("message"))[:300], holds=False)
    right = isinstance(value, RawTensor) and bytes(value.data) == _TWO_FOUR
    there = isinstance(facts, dict) and facts.get("devices") == ["cuda:0"]
    found = f"computes (isolation: {runner.isolation})" if right and there else f"answers {value}, {facts}"
    return Finding(_ROW, _WANTED, found, holds=right and there)
