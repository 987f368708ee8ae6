"""Rotary position embedding on adjacent pairs (0, 1), (2, 3), ..."""

import torch


def rope_frequencies(head_dim, base=10000.0):
    """theta_r = base^(-2r/d) for r = 0 .. d/2 - 1, in FP32."""
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    two_r = torch.arange(0, head_dim, 2, dtype=torch.float32)
    return base ** (-two_r / head_dim)


def rope_cos_sin(positions, head_dim, base=10000.0):
    """Tables for positions [T] or [B, T]: cos and sin, each [1 or B, T, 1, d/2] in FP32."""
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base).to(positions.device)
    angle = positions.float().unsqueeze(-1) * theta
    if positions.ndim == 1:
        angle = angle.unsqueeze(0)
    angle = angle.unsqueeze(2)  # [1 or B, T, 1, d/2]: one angle for all heads
    return angle.cos(), angle.sin()


def check_positions(x, positions):
    """Positions belong to the tokens of x [B, T, H, d]."""
    batch, time = x.shape[0], x.shape[1]
    if tuple(positions.shape) not in ((time,), (batch, time)):
        raise ValueError(
            f"positions must have shape [T] = [{time}] or [B, T] = [{batch}, {time}], got {list(positions.shape)}"
        )


def rotate_pairs(x, cos, sin):
    """(a, b) -> (a cos - b sin, a sin + b cos) for every adjacent pair, put back in place."""
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    rotated = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)  # [B, T, H, d/2, 2]
    return rotated.flatten(-2)


def apply_rope(x, positions, base=10000.0):
    """Rotate x [B, T, H, d] by its positions [T] or [B, T]; same shape and dtype as x."""
    check_positions(x, positions)
    positions = positions.to(x.device)
    cos, sin = rope_cos_sin(positions, x.shape[-1], base)
    return rotate_pairs(x, cos, sin)
