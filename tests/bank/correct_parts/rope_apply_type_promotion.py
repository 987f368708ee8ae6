"""No explicit cast up: bf16 times an FP32 table is FP32, and storing rounds once."""

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
    cos, sin = torch.cos(angle), torch.sin(angle)
    out = torch.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return out
