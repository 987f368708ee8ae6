"""This machine without any container: what could isolate a local worker, and what could compute."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from grader.doctor.limits import Finding

_LANDLOCK_CREATE_RULESET, _VERSION_FLAG = 444, 1  # the same number on every architecture
_TIMEOUT = 10.0


def findings() -> list[Finding]:
    """Facts about this machine; none of them is a fault."""
    return [
        Finding("python", "", f"{platform.python_version()} on {platform.platform()}"),
        Finding("bubblewrap", "", _bubblewrap()),
        Finding("seccomp", "", _seccomp()),
        Finding("landlock", "", _landlock()),
        Finding("cgroup", "", _cgroup()),
    ]


def _bubblewrap() -> str:
    program = shutil.which("bwrap")
    if program is None:
        return "not installed"
    ran = _run([program, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "true"])
    return "works" if ran is not None else "installed, but may not make namespaces here"


def _seccomp() -> str:
    try:
        actions = Path("/proc/sys/kernel/seccomp/actions_avail").read_text()
    except OSError:
        return "not available"
    return "filters" if "errno" in actions.split() else "no filters"


def _landlock() -> str:
    if sys.platform != "linux":
        return "not available"
    version = ctypes.CDLL(None).syscall(_LANDLOCK_CREATE_RULESET, 0, 0, _VERSION_FLAG)
    return f"ABI {version}" if version > 0 else "not available"


def _cgroup() -> str:
    if Path("/sys/fs/cgroup/cgroup.controllers").exists():
        return "version 2"
    return "version 1" if Path("/sys/fs/cgroup/memory").exists() else "none"


def _run(command: Sequence[str]) -> str | None:
    """What a command prints, or None when it fails."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT, check=True)  # noqa: S603 - fixed commands
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.stdout
