"""Sleeps for ever and swallows whatever is raised in it, as a time limit by exception would be."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"timeout"}}

import contextlib
import time


def swiglu_hidden_dim(*_):
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(1)
