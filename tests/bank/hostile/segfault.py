"""Reads address 0."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"crash"}}

import ctypes


def swiglu_hidden_dim(*_):
    ctypes.string_at(0)
