"""theta by torch.pow with base as a tensor and exponents from linspace."""

VARIES = "assignment1/rope.py"

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    exponent = torch.linspace(0.0, -(head_dim - 2) / head_dim, head_dim // 2, dtype=torch.float32)
    return torch.pow(torch.full_like(exponent, base), exponent)
