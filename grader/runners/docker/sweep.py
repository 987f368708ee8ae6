"""Containers that a killed grader left behind: every grader removes them when it starts."""

from __future__ import annotations

import contextlib
import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path

from grader.errors import RunnerUnavailable
from grader.runners.docker.engine import LABEL, Client, trouble

_HOST, _PID, _STARTED, _EXPIRES = (f"{LABEL}.{name}" for name in ("host", "pid", "started", "expires"))


def labels(*, lifetime: float) -> dict[str, str]:
    """Labels that say whose container it is, and when nobody can want it any more."""
    return {
        LABEL: "worker",
        _HOST: _host(),
        _PID: str(os.getpid()),
        _STARTED: _start_of(os.getpid()),
        _EXPIRES: str(int(time.time() + lifetime)),
    }


def sweep(client: Client) -> int:
    """Remove containers of graders that are gone; returns how many. Raises RunnerUnavailable."""
    removed = 0
    with trouble("the engine did not list containers"):
        found = client.api.containers(all=True, filters={"label": LABEL})
    for container in found:
        if is_abandoned(container.get("Labels") or {}):
            with contextlib.suppress(RunnerUnavailable), trouble("a container was not removed"):
                client.api.remove_container(container["Id"], force=True, v=True)  # may already be going
                removed += 1
    return removed


def is_abandoned(labels: Mapping[str, str]) -> bool:
    """Whether the grader that made a container is gone; one on another host is believed until its time is over."""
    if int(labels.get(_EXPIRES, "0")) < time.time():
        return True
    return labels.get(_HOST) == _host() and _start_of(int(labels.get(_PID, "0"))) != labels.get(_STARTED)


def _host() -> str:
    """A name that only processes which see our process ids share: hosts, and containers of CI, differ in it."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{platform.node()}/{boot}/{os.readlink('/proc/self/ns/pid')}"
    return f"{platform.node()}/{os.getpid()}"  # no /proc, no way to ask for other processes: only time tells


def _start_of(pid: int) -> str:
    """When a process started, in ticks since boot: process ids are used again. Empty: no such process."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""
