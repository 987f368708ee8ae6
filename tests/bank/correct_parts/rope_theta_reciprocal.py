"""theta as 1 / base ** (2 r / d)."""

VARIES = "assignment1/rope.py"

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    exponent = torch.arange(0, head_dim, 2).to(torch.float32) / head_dim
    return 1.0 / (base**exponent)
