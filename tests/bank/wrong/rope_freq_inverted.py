"""Leaves the minus out of the exponent: base^(+2r/d)."""

FAULT = "rope.freq_inverted"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.frequencies"}

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    r = torch.arange(head_dim // 2, dtype=torch.float32)
    return base ** (2 * r / head_dim)
