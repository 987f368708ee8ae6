"""Returns the frequencies in FP64 instead of FP32."""

FAULT = "rope.freq_fp64"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.frequencies"}

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    two_r = torch.arange(0, head_dim, 2, dtype=torch.float64)
    return base ** (-two_r / head_dim)
