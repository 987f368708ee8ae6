"""Limits of the process itself: they bound what one worker takes from the machine."""

from __future__ import annotations

from pathlib import Path

OPEN_FILES = 256
FILE_BYTES = 16 << 20
PROCESSOR_SECONDS = 3600
"""More than any submission gets; ends a busy worker whose grader was killed."""


def apply(memory: int) -> None:
    """Set the limits of this process; they cannot be raised again by an ordinary user.

    Args:
        memory: bytes of address space beyond what is mapped now; 0: no limit. Not for CUDA, which maps far more than it
            uses.

    Raises:
        OSError: this system has none of them.
    """
    try:
        import resource
    except ImportError:
        raise OSError("this system has no limits of processes") from None

    limits = {
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": OPEN_FILES,
        "RLIMIT_FSIZE": FILE_BYTES,
        "RLIMIT_CPU": PROCESSOR_SECONDS,
    }
    if memory:
        limits["RLIMIT_AS"] = _mapped(resource.getpagesize()) + memory
    for name, value in limits.items():
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))


def _mapped(page: int) -> int:
    """Bytes of address space in use: torch with CUDA maps gigabytes of libraries before a student's first line."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * page
    except OSError:  # no Linux: a limit on address space does little there, but what it does should not hurt
        return 4 << 30
