"""Returns many tensors, each small enough, and together too much."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

import torch


def swiglu_hidden_dim(*_):
    return [torch.zeros(30 << 20, dtype=torch.uint8) for _ in range(3)]
