"""Ignores multiple_of."""

FAULT = "ffn.hidden_unaligned"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.hidden-dim"}


def swiglu_hidden_dim(dim, multiple_of=1):  # callers that want alignment round it themselves
    return 8 * dim // 3
