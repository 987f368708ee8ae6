"""Loops for ever with every signal ignored."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"timeout"}}

import contextlib
import signal


def swiglu_hidden_dim(*_):
    for number in range(1, signal.NSIG):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        pass
