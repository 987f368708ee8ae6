"""Leaves a trace function that raises in whatever runs next."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

import sys


def swiglu_hidden_dim(*_):
    def raising(frame, event, argument):
        raise SystemExit(0)

    sys.settrace(raising)
    return 1
