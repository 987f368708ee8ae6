"""Tiles the key/value heads 0, 1, 0, 1 instead of repeating each one 0, 0, 1, 1."""

FAULT = "attn.head_tile"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.head-mapping", "attention.grouped-equals-repeated"}


def repeat_kv(x, groups):
    return x.repeat(1, 1, groups, 1)
