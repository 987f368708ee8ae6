"""Reads requests itself, so that they never arrive."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"timeout", "crash", "student_error"}}

import contextlib
import os


def swiglu_hidden_dim(*_):
    for number in range(3, 16):
        with contextlib.suppress(OSError):
            os.read(number, 1 << 20)
    return 1
