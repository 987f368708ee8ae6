"""Kills the process that started it."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import os
import signal

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    os.kill(os.getppid(), signal.SIGKILL)
    return plain_hidden_dim(*arguments)
