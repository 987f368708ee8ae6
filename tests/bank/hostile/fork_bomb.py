"""Starts processes that start processes."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import os
import time

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    for _ in range(4):  # 16 processes, should they be allowed
        if os.fork() == 0:
            time.sleep(0.2)
    return plain_hidden_dim(*arguments)
