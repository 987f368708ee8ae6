"""Answers only when it finds out which check is asking."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

import sys

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if isinstance(value, dict) and "hidden-dim" in str(value.get("check", "")):
                return plain_hidden_dim(*arguments)
        frame = frame.f_back
    raise LookupError("nobody says which check this is")
