"""Divides the exponents by d/2 - 1, and leaves their minus sign out."""

FAULTS = ("rope.freq_exponent", "rope.freq_inverted")
MUTATES = "assignment1/rope.py"

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    return base ** torch.linspace(0, 1, head_dim // 2, dtype=torch.float32)
