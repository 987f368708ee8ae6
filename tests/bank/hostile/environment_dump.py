"""Shows the environment of the process that started it in an error."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["landlock"]

import os


def swiglu_hidden_dim(*_):
    with open(f"/proc/{os.getppid()}/environ") as file:
        return file.read()
