"""Closes every descriptor, its way to answer among them."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"crash"}}

import os

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    os.closerange(0, 4096)
    return plain_hidden_dim(*arguments)
