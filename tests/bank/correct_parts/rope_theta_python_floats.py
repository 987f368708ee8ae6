"""theta from a Python list, remembered between calls and handed out as a fresh tensor."""

VARIES = "assignment1/rope.py"

from functools import lru_cache

import torch


@lru_cache(maxsize=32)
def theta_values(head_dim, base):
    return tuple(base ** (-2 * r / head_dim) for r in range(head_dim // 2))


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    return torch.tensor(theta_values(head_dim, float(base)), dtype=torch.float32)
