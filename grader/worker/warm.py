"""What torch does once in a process, done before workers are forked: they have it then from the start.

The first product of two matrices chooses and prepares its kernels, for each dtype: a millisecond each time, as long as
ten checks take. Nothing here starts a thread or touches a GPU, neither of which survives a fork: so no backward pass.
"""

from __future__ import annotations

import torch


def warm_up() -> None:
    """Multiply matrices of ones. No stream of chance is drawn from."""
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        ones = torch.ones(2, 3, 3, dtype=dtype)
        torch.matmul(ones[0], ones[0])
        torch.matmul(ones, ones)
        (ones + ones * ones).sum(-1).to(torch.float32)
