"""Types a command into the terminal of whoever started it."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["landlock"]

import fcntl
import os

from .ffn import swiglu_hidden_dim as plain_hidden_dim

TYPE = 0x5412


def swiglu_hidden_dim(*arguments):
    mine, _ = os.openpty() if os.path.exists("/dev/ptmx") else (0, 0)
    fcntl.ioctl(mine, TYPE, b"\n")
    return plain_hidden_dim(*arguments)
