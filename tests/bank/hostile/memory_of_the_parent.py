"""Reads the memory of the process that started it."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["landlock"]

import os


def swiglu_hidden_dim(*_):
    with open(f"/proc/{os.getppid()}/mem", "rb") as file:
        return len(file.read(1))
