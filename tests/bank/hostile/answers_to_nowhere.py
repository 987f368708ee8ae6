"""Turns its own answers away, so that somebody waits for them."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"crash", "timeout"}}

import contextlib
import os


def swiglu_hidden_dim(*_):
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in range(3, 16):
        with contextlib.suppress(OSError):
            os.fstat(number)
            os.dup2(nowhere, number)
    return 1
