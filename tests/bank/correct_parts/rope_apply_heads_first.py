"""Works on [B, H, T, d] inside, with tables [B, 1, T, d/2]."""

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
    cos, sin = angle.cos().transpose(1, 2), angle.sin().transpose(1, 2)
    h = x.transpose(1, 2).float()
    even, odd = h[..., 0::2], h[..., 1::2]
    turned = torch.empty_like(h)
    turned[..., 0::2] = even * cos - odd * sin
    turned[..., 1::2] = even * sin + odd * cos
    return turned.transpose(1, 2).to(x.dtype)
