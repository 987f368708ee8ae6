"""Stops every process that it may signal."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import os
import signal

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    os.kill(-1, signal.SIGCONT)  # with SIGSTOP, a system without the defence would stand still
    return plain_hidden_dim(*arguments)
