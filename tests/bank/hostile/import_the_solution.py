"""Imports the solution that the grader holds."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

import importlib


def swiglu_hidden_dim(dim, multiple_of=1):
    for name in ("reference.ffn", "grader.oracle.live"):
        try:
            return importlib.import_module(name).swiglu_hidden_dim(dim, multiple_of)
        except ImportError:
            pass
    raise ImportError("no solution here")
