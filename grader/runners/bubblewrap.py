"""Start the local worker in bubblewrap: no network, no other processes, and of the files only Python and its packages.

What runs in it still shares the kernel and the user with whoever grades, so a report made this way says
``trusted: false`` as well, and ``isolation: bubblewrap``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from grader.worker.defences.readable import devices, readable

_SYSTEM_LINKS = ("/bin", "/lib", "/lib32", "/lib64")
_MADE_THERE = ("/proc", "/dev", "/sys/fs")
_PATIENCE = 10.0


@cache
def is_available() -> bool:
    """Whether Python starts in a sandbox here: it may be missing, or namespaces forbidden, as in a container."""
    if sys.platform != "linux" or shutil.which("bwrap") is None or not hasattr(os, "pidfd_open"):
        return False
    probe = inside([sys.executable, "-I", "-S", "-c", "pass"])
    try:
        ended = subprocess.run(  # noqa: S603 - our own interpreter
            probe, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0


def inside(command: list[str], *, gpu: bool = False) -> list[str]:
    """``command`` as run in a sandbox. It ends when the thread that started it ends, so start it from the main one.

    Args:
        gpu: leave the way to the GPUs open; without it their device files are not there.
    """
    binds: list[str] = []
    for name in _SYSTEM_LINKS:
        if Path(name).is_symlink():
            binds += ["--symlink", os.readlink(name), name]
    for path in sorted(map(str, readable(gpu=gpu))):
        if not path.startswith(_MADE_THERE):
            binds += ["--ro-bind", path, path]
    for device in devices() if gpu else ():
        binds += ["--dev-bind-try", str(device), str(device)]
    for path in (sys.prefix, sys.base_prefix):
        if os.path.realpath(path) != path:
            binds += ["--ro-bind-try", os.path.realpath(path), path]
    return [
        *("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--hostname", "worker", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108 - its own
        *binds,  # after /tmp, where the grader itself may lie
        *("--chdir", "/"),
        "--",
        *command,
    ]
