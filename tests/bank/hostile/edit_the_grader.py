"""Opens the installed grader for writing."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["landlock"]

import sys

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    open(sys.modules["grader.wire.codec"].__file__, "a").close()
    return plain_hidden_dim(*arguments)
