"""Opens the solution where it is installed, and hands its answer in."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["landlock"]

import os
import sys


def swiglu_hidden_dim(*arguments):
    root = os.path.dirname(sys.modules["grader"].__path__[0])
    space = {}
    with open(os.path.join(root, "reference", "ffn.py")) as file:
        text = file.read()
    exec(text[text.index("def swiglu_hidden_dim") : text.index("class ")], space)
    return space["swiglu_hidden_dim"](*arguments)
