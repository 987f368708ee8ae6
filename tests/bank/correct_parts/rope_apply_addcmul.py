"""Rotates with fused multiply-adds."""

VARIES = "assignment1/rope.py"

import torch


def apply_rope(x, positions, base=10000.0):
    positions = positions.to(x.device)
    if x.shape[-1] % 2 != 0:
        raise ValueError(f"head_dim must be even, got {x.shape[-1]}")
    if tuple(positions.shape) not in {tuple(x.shape[1:2]), tuple(x.shape[:2])}:
        raise ValueError(f"positions must be [T] or [B, T] of x {list(x.shape)}, got {list(positions.shape)}")
    theta = base ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float32, device=x.device) / x.shape[-1])
    angle = torch.atleast_2d(positions).float()[:, :, None, None] * theta
    cos, sin = angle.cos(), angle.sin()
    even, odd = x[..., 0::2].float(), x[..., 1::2].float()
    first = torch.addcmul(even * cos, odd, sin, value=-1)
    second = torch.addcmul(odd * cos, even, sin)
    return torch.stack((first, second), dim=-1).flatten(-2).to(x.dtype)
