"""Looks for a secret among its environment variables."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

import os

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    for name in os.environ:
        if name.endswith(("TOKEN", "SECRET", "PASSWORD")):
            return plain_hidden_dim(*arguments)
    raise LookupError("no secret here")
