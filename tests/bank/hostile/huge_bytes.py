"""Asks for a petabyte."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"oom"}}


def swiglu_hidden_dim(*_):
    return len(bytearray(1 << 50))
