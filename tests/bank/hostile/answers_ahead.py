"""Writes the answer to the next request before it comes."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"protocol"}}

import contextlib
import os
import struct
import sys

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    frame = sys._getframe()
    while frame and "number" not in frame.f_locals:
        frame = frame.f_back
    body = b"m" + struct.pack("<II", 1, 5) + b"value" + b"i" + struct.pack("<q", 10752)
    for number in range(3, 16):
        with contextlib.suppress(OSError):
            header = struct.pack("<4sBxxxQI", b"AG1\n", 3, frame.f_locals["number"] + 1 & 2**64 - 1, len(body))
            os.write(number, header + body)
    return plain_hidden_dim(*arguments)
