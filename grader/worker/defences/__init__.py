"""What a worker gives up before it runs a student's code; each part says whether it is on, and none is required.

No part of this makes a verdict trustworthy: that comes from judging bytes in another process. These parts keep the
machine, its files and the other processes out of reach, as far as the system can.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from grader.worker.defences import landlock, limits, seccomp

WITHOUT = "GRADER_WORKER_WITHOUT"
"""Environment variable of a worker: names of defences to leave off, for tests that show what each is good for."""

MEMORY = "GRADER_WORKER_MEMORY"
"""Environment variable of a worker: bytes that a submission may take; without it there is no such limit."""

GPUS = "CUDA_VISIBLE_DEVICES"
"""Environment variable of a worker: the GPU that it may use; empty or missing: none, and its files stay shut."""

NAMES = ("descriptors", "limits", "landlock", "seccomp")


class Defences:
    """Everything that can be made ready before there is a submission.

    Args:
        environment: of the worker; see WITHOUT, MEMORY and GPUS.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._without = set(environment.get(WITHOUT, "").split(","))
        self._memory = int(environment.get(MEMORY, "0"))
        self._readable = landlock.Ruleset(gpu=bool(environment.get(GPUS))) if "landlock" not in self._without else None

    def apply(self, keep: Iterable[int]) -> dict[str, str]:
        """Apply all of them to this process, for good.

        Args:
            keep: descriptors that stay open besides the standard streams.

        Returns:
            By name ``on``, or ``off: `` and why. A claim of this process, so for people only.
        """
        steps: dict[str, Callable[[], None]] = {
            "descriptors": lambda: _close_all_but([*keep, *self._own_descriptors()]),
            "limits": lambda: limits.apply(self._memory),
            "landlock": self._restrict_files,
            "seccomp": seccomp.apply,  # last: it forbids what the others do
        }
        outcomes = {name: self._outcome(name, step) for name, step in steps.items()}
        if outcomes["seccomp"] == "on":
            os.environ["TORCHDYNAMO_DISABLE"] = (
                "1"  # torch.compile starts a compiler; without it functions run as written
            )
        return outcomes

    def _restrict_files(self) -> None:
        if self._readable is not None:
            self._readable.apply()

    def _own_descriptors(self) -> list[int]:
        return [] if self._readable is None else self._readable.descriptors()

    def _outcome(self, name: str, step: Callable[[], None]) -> str:
        if name in self._without:
            return "off: left off"
        try:
            step()
        except (OSError, ValueError, ImportError) as error:  # an old kernel, another system: the worker still works
            return f"off: {error}"
        return "on"


def _close_all_but(keep: Iterable[int]) -> None:
    """Close what a careless starter may have left open, so that no submission reads or writes it."""
    if os.name != "posix":
        raise OSError("only descriptors that were meant to be are inherited here")
    last = 2
    for descriptor in sorted({number for number in keep if number > last}):
        os.closerange(last + 1, descriptor)
        last = descriptor
    os.closerange(last + 1, 1 << 16)
