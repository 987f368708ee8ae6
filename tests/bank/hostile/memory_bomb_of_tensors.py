"""Fills memory with tensors, and swallows the error that says so."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"oom"}}
NEEDS = ["limits"]

import torch


def swiglu_hidden_dim(*_):
    kept = []
    try:
        while len(kept) < 90:
            kept.append(torch.ones(16 << 20))
    except RuntimeError as error:
        raise MemoryError(str(error)) from None
    return len(kept)
