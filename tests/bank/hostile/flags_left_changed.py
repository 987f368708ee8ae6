"""Leaves every arithmetic flag changed, for checks that come later: they are set again before each call."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {}

import torch

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    torch.set_default_dtype(torch.float64)
    torch.set_flush_denormal(True)
    torch.set_grad_enabled(False)
    torch.set_float32_matmul_precision("medium")
    torch.set_autocast_enabled("cpu", True)
    return plain_hidden_dim(*arguments)
