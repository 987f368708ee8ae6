"""Returns a view that takes no memory and has a quadrillion elements."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

import torch


def swiglu_hidden_dim(*_):
    return torch.ones(1).expand(1 << 25, 1 << 25)
