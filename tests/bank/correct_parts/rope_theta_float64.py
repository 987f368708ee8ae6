"""theta in FP64, rounded once."""

VARIES = "assignment1/rope.py"

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    r = torch.arange(head_dim // 2, dtype=torch.float64)
    return torch.pow(float(base), -2.0 * r / head_dim).to(torch.float32)
