"""Recurses through C code without a limit."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"crash", "student_error"}}

import sys


class Endless:
    def __repr__(self):
        return repr([self])


def swiglu_hidden_dim(*_):
    sys.setrecursionlimit(10**9)
    return len(repr(Endless()))
