"""Writes a right answer to a request that nobody made, and is silent."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"protocol"}}

import contextlib
import os
import struct
import time

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    body = b"m" + struct.pack("<II", 1, 5) + b"value" + b"i" + struct.pack("<q", plain_hidden_dim(*arguments))
    for number in range(3, 16):
        with contextlib.suppress(OSError):
            os.write(number, struct.pack("<4sBxxxQI", b"AG1\n", 3, 7, len(body)) + body)
    time.sleep(60)
