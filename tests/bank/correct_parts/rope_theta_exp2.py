"""theta as a power of two."""

VARIES = "assignment1/rope.py"

import math

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    r = torch.arange(head_dim // 2, dtype=torch.float32)
    return torch.exp2(r * (-2.0 / head_dim * math.log2(base)))
