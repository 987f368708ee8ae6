"""theta by a cumulative product of base ** (-2 / d)."""

VARIES = "assignment1/rope.py"

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    factors = torch.full((head_dim // 2,), base ** (-2.0 / head_dim), dtype=torch.float32)
    factors[0] = 1.0
    return torch.cumprod(factors, dim=0)
