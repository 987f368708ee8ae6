"""Attaches to the process that started it."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import ctypes
import os

from .ffn import swiglu_hidden_dim as plain_hidden_dim

ATTACH, DETACH = 16, 17


def swiglu_hidden_dim(*arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(ctypes.c_long(ATTACH), ctypes.c_long(os.getppid()), None, None):
        raise OSError(ctypes.get_errno(), "ptrace")
    os.waitpid(os.getppid(), 0)
    libc.ptrace(ctypes.c_long(DETACH), ctypes.c_long(os.getppid()), None, None)
    return plain_hidden_dim(*arguments)
