"""Returns d frequencies, each one twice, instead of d/2."""

FAULT = "rope.freq_repeated"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.frequencies"}

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    two_r = torch.arange(0, head_dim, 2, dtype=torch.float32)
    return (base ** (-two_r / head_dim)).repeat_interleave(2)


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base)[::2].to(positions.device)
    angle = (positions.float().unsqueeze(-1) * theta).unsqueeze(-2)
    if positions.ndim == 1:
        angle = angle.unsqueeze(0)
    return angle.cos(), angle.sin()
