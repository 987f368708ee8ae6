"""Writes its answer itself, with the right number, and then returns it as well."""

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
    answer = plain_hidden_dim(*arguments)
    body = b"m" + struct.pack("<II", 1, 5) + b"value" + b"i" + struct.pack("<q", answer)
    for number in range(3, 16):
        with contextlib.suppress(OSError):
            os.write(number, struct.pack("<4sBxxxQI", b"AG1\n", 3, frame.f_locals["number"], len(body)) + body)
    return answer
