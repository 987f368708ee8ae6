"""Reads standard input, where requests come from: it finds nothing there, and answers right."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {}

import os
import sys

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    os.read(0, 1)
    sys.stdin.read(1)
    return plain_hidden_dim(*arguments)
