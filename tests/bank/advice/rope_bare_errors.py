"""Refuses an odd width without saying which one it was given."""

FAULT = "rope.bare_errors"
MUTATES = "assignment1/rope.py"
KILLED_BY = set()

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError("head_dim must be a positive even number")
    two_r = torch.arange(0, head_dim, 2, dtype=torch.float32)
    return base ** (-two_r / head_dim)
