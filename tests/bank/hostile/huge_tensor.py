"""Asks for a tensor of 4 TiB."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"oom"}}

import torch


def swiglu_hidden_dim(*_):
    return torch.ones(1 << 40)
