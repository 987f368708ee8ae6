"""theta by torch.logspace: geometric from 1 down to base ** (2 / d - 1)."""

VARIES = "assignment1/rope.py"

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    return torch.logspace(0.0, 2.0 / head_dim - 1.0, steps=head_dim // 2, base=float(base), dtype=torch.float32)
