"""Devices on which a submission is asked: how they are named, and which checks are about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from grader.errors import UsageError

CPU = "cpu"
AREA = "device"
"""Checks of this area are about devices: they run in rounds on a GPU and nowhere else."""

_GPU = re.compile(r"cuda(?::(0|[1-9]\d*))?", re.ASCII)


def parse(given: str) -> tuple[str, ...]:
    """The devices that ``--device`` names, in its order: ``cpu``, ``cuda``, ``cuda:1``, ``cpu,cuda``.

    Raises:
        UsageError: anything else, or a device twice.
    """
    devices = tuple(part.strip() for part in given.split(","))
    for device in devices:
        if device != CPU and _GPU.fullmatch(device) is None:
            raise UsageError(
                f"unknown device {device!r}; --device is cpu, cuda, cuda:N, or several with commas between"
            )
    if len(set(devices)) < len(devices):
        raise UsageError(f"--device names a device twice: {given}")
    if sum(is_gpu(device) for device in devices) > 1:
        raise UsageError(f"--device names several GPUs, of which one is enough: {given}")
    return devices


def spelled(devices: Sequence[str]) -> str:
    """The same as one text, as reports have it."""
    return ",".join(devices)


def is_gpu(device: str) -> bool:
    """Whether ``device`` is an accelerator."""
    return device != CPU


def gpus_in(devices: Iterable[str]) -> list[str]:
    """Those that are accelerators."""
    return [device for device in devices if is_gpu(device)]


def number_of(device: str) -> int | None:
    """The number of a GPU; None: any will do."""
    found = _GPU.fullmatch(device)
    return int(found[1]) if found is not None and found[1] is not None else None


def in_worker(device: str) -> str:
    """What a worker calls the device: of GPUs it sees one only, whatever number that has outside."""
    return "cuda:0" if _GPU.fullmatch(device) else device


def needs_gpu(check: str) -> bool:
    """Whether a check, by its id, runs on a GPU only."""
    return check.partition(".")[0] == AREA
