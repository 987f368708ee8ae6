"""System calls that Python has no function for."""

from __future__ import annotations

import ctypes
import os
import platform
import sys

X86_64, AARCH64 = "x86_64", "aarch64"
_SET_NO_NEW_PRIVILEGES = 38  # linux/prctl.h


def architecture() -> str:
    """Which of the two known instruction sets this process runs on. Raises OSError for any other system."""
    machine = {"amd64": X86_64, "arm64": AARCH64}.get(platform.machine().lower(), platform.machine().lower())
    if sys.platform != "linux" or machine not in (X86_64, AARCH64) or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise OSError(f"not for {sys.platform} on {machine}")
    return machine


def call(number: int, *arguments: object) -> int:
    """Make a system call. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    result = int(library.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def no_new_privileges() -> None:
    """Let no set-user-id program change what this process may do; filters require it. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
