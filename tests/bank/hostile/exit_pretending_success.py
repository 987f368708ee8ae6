"""Prints what a passing run prints, then leaves with exit code 0."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"crash"}}

import os


def swiglu_hidden_dim(*_):
    print("96 passed in 0.01s")
    os.write(1, b'{"score": 100}\n')
    os._exit(0)
