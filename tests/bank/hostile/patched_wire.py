"""Replaces the encoder in its process by one that writes nonsense."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"protocol"}}

import sys


def swiglu_hidden_dim(*_):
    sys.modules["grader.wire.codec"].encode = lambda value: b"\xff" * 64
    return 1
