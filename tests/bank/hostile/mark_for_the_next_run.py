"""Leaves a file for its next run to find."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["landlock"]

import os

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    path = "/tmp/hidden-dim-was-asked"
    with open(path, "w") as file:
        file.write(str(arguments))
    os.unlink(path)
    return plain_hidden_dim(*arguments)
