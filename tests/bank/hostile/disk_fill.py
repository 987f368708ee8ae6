"""Fills the disk."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["limits"]

import os

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    path = f"/tmp/fill-{os.getpid()}"
    try:
        with open(path, "wb") as file:
            for _ in range(32):
                file.write(b"a" * (1 << 20))
    finally:
        if os.path.exists(path):
            os.unlink(path)
    return plain_hidden_dim(*arguments)
