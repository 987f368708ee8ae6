"""Calls sys.exit(0) inside a call."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

import sys


def swiglu_hidden_dim(*_):
    sys.exit(0)
