"""Spreads the exponents with linspace from 0 to 1, end included."""

FAULT = "rope.freq_exponent"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.frequencies"}

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    exponents = torch.linspace(0, 1, head_dim // 2, dtype=torch.float32)
    return base**-exponents
