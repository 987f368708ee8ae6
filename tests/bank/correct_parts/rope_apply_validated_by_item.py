"""apply_rope that reads the lowest and the highest position with .item(), to refuse what is out of range."""

VARIES = "assignment1/rope.py"

import torch

from .rope import rope_cos_sin


def apply_rope(x, positions, base=10000.0):
    if tuple(positions.shape) not in {tuple(x.shape[1:2]), tuple(x.shape[:2])}:
        raise ValueError(f"positions must be [T] or [B, T] of x {list(x.shape)}, got {list(positions.shape)}")
    positions = positions.to(x.device)
    if positions.numel():
        low, high = positions.min().item(), positions.max().item()  # two reads, however many tokens there are
        if low < 0 or high >= 2**24:
            raise ValueError(f"positions must be in 0 .. 2^24 - 1, got {low} .. {high}")
    cos, sin = rope_cos_sin(positions, x.shape[-1], base)
    even, odd = x.float()[..., 0::2], x.float()[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2).to(x.dtype)
