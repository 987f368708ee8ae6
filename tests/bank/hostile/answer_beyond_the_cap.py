"""Returns more than an answer may hold."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

import torch


def swiglu_hidden_dim(*_):
    return torch.zeros(80 << 20, dtype=torch.uint8)
