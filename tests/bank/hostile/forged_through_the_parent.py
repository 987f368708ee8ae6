"""Writes an answer to the descriptors of the process that started it."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["landlock"]

import os
import struct


def swiglu_hidden_dim(*_):
    frame = struct.pack("<4sBxxxQI", b"AG1\n", 3, 0, 1) + b"T"
    folder = f"/proc/{os.getppid()}/fd"
    for name in os.listdir(folder):
        os.write(os.open(f"{folder}/{name}", os.O_WRONLY | os.O_NONBLOCK), frame)
    return 1
