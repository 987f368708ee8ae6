"""Makes a namespace in which it would be root."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import ctypes

from .ffn import swiglu_hidden_dim as plain_hidden_dim

NEW_USER = 0x10000000
made = []


def swiglu_hidden_dim(*arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if not made and libc.unshare(ctypes.c_int(NEW_USER)):
        raise OSError(ctypes.get_errno(), "unshare")
    made.append(True)
    return plain_hidden_dim(*arguments)
