"""Writes an answer of its own to every descriptor that it can open, and leaves."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"protocol"}}

import contextlib
import os
import struct


def swiglu_hidden_dim(*_):
    frame = struct.pack("<4sBxxxQI", b"AG1\n", 3, 0, 1) + b"T"
    for number in range(64):
        with contextlib.suppress(OSError):
            os.write(number, frame)
    os._exit(0)
