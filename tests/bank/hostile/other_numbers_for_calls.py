"""Makes a forbidden call by its other number."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import ctypes
import platform

X32, SOCKET = 0x40000000, 41


def swiglu_hidden_dim(*_):
    libc = ctypes.CDLL(None, use_errno=True)
    if platform.machine() != "x86_64" or libc.syscall(ctypes.c_long(X32 + SOCKET), 2, 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "socket")
    return 1
