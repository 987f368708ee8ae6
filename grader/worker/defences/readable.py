"""Which files a worker reads: Python, its packages and the system's libraries, but nothing of the verifier."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable
from pathlib import Path

_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/nix/store"),
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/nsswitch.conf"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/sys/vm", "/proc/sys/kernel"),
    *("/sys/devices/system", "/sys/fs/cgroup"),
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"),
)
_GPU = ("/proc/devices", "/proc/driver/nvidia", "/sys/module/nvidia", "/sys/bus/pci", "/sys/class/drm")
WRITABLE = ("/dev/null", "/dev/zero", "/dev/full")
_OWN = ("grader/__init__.py", "grader/wire", "grader/worker")


def readable(*, gpu: bool = False) -> list[Path]:
    """Folders and files, none of which holds the verifier, the solution or another submission.

    Where the grader is installed beside torch, the folders around it are listed part by part.

    Args:
        gpu: also what the driver of a GPU reads.
    """
    root = Path(__file__).resolve().parents[3]
    beside_torch = (root / "torch").is_dir()
    hidden = [root / "grader", root / "reference"] if beside_torch else [root]
    wanted = [
        *_SYSTEM,
        *(_GPU if gpu else ()),
        sys.prefix,
        sys.exec_prefix,
        sys.base_prefix,
        sys.base_exec_prefix,
        *_packages(),
    ]
    found: list[Path] = []
    for path in dict.fromkeys(Path(os.path.realpath(path)) for path in wanted if path):
        found += _without(path, hidden)
    return [*dict.fromkeys(found), *(root / part for part in _OWN)]


def devices() -> list[Path]:
    """What a GPU is driven by: these are written to, and controlled."""
    return sorted(Path("/dev").glob("nvidia*"))


def _packages() -> list[str]:
    """Where packages and libraries may lie besides Python's own folders; not all of sys.path, which may be anything."""
    spec = importlib.util.find_spec("torch")
    beside_torch = [str(Path(spec.origin).parents[1])] if spec is not None and spec.origin else []
    return [*beside_torch, *filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))]


def _without(path: Path, hidden: Iterable[Path]) -> list[Path]:
    """``path``, or its parts where something below it is hidden."""
    if not path.exists() or path in hidden:
        return []
    below = [one for one in hidden if path in one.parents]
    if not below:
        return [path]
    return [part for child in sorted(path.iterdir()) for part in _without(child, below)]
