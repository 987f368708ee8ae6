"""Sets up a ring by which the kernel would make calls for it, past a filter."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import ctypes

from .ffn import swiglu_hidden_dim as plain_hidden_dim

SETUP = 425


def swiglu_hidden_dim(*arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    room = ctypes.create_string_buffer(120)
    if libc.syscall(ctypes.c_long(SETUP), ctypes.c_long(4), room) < 0:
        raise OSError(ctypes.get_errno(), "io_uring_setup")
    return plain_hidden_dim(*arguments)
