"""Registers an exit hook that would turn any end into a success, and returns a wrong number."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"fail"}}

import atexit
import os

atexit.register(os._exit, 0)


def swiglu_hidden_dim(*_):
    return 1
