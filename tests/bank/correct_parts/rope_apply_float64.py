"""The whole rotation in FP64."""

VARIES = "assignment1/rope.py"

import torch


def apply_rope(x, positions, base=10000.0):
    positions = positions.to(x.device)
    if x.shape[-1] % 2 != 0:
        raise ValueError(f"head_dim must be even, got {x.shape[-1]}")
    if tuple(positions.shape) not in {tuple(x.shape[1:2]), tuple(x.shape[:2])}:
        raise ValueError(f"positions must be [T] or [B, T] of x {list(x.shape)}, got {list(positions.shape)}")
    theta = float(base) ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float64, device=x.device) / x.shape[-1])
    angle = torch.atleast_2d(positions).double()[:, :, None, None] * theta
    even, odd = x[..., 0::2].double(), x[..., 1::2].double()
    turned = (even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos())
    return torch.stack(turned, dim=-1).flatten(-2).to(x.dtype)
