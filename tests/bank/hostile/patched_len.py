"""Replaces len, by which its process measures what it sends."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"protocol"}}

import builtins


def swiglu_hidden_dim(*_):
    builtins.len = lambda _: 1
    return 1
