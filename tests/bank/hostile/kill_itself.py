"""Kills its own process."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"crash"}}

import os
import signal


def swiglu_hidden_dim(*_):
    os.kill(os.getpid(), signal.SIGKILL)
