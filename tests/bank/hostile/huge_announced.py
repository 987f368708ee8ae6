"""Announces an answer of 4 GiB."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"protocol"}}

import contextlib
import os
import struct


def swiglu_hidden_dim(*_):
    frame = struct.pack("<4sBxxxQI", b"AG1\n", 3, 1, 2**32 - 1)
    for number in range(64):
        with contextlib.suppress(OSError):
            os.write(number, frame)
    while True:
        pass
