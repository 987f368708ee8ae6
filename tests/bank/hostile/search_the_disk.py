"""Searches the disk for the solution, and hands its answer in."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["landlock"]

import os
import sys


def swiglu_hidden_dim(*arguments):
    for folder in (os.path.dirname(os.path.dirname(path)) for path in [*sys.modules["grader"].__path__, os.getcwd()]):
        for place, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            if os.path.basename(place) == "reference" and "ffn.py" in names:
                space = {}
                with open(os.path.join(place, "ffn.py")) as file:
                    text = file.read()
                exec(text[text.index("def swiglu_hidden_dim") : text.index("class ")], space)
                return space["swiglu_hidden_dim"](*arguments)
    raise LookupError("no solution on this disk")
