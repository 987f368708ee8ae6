"""x * cos + swapped x * sign * sin, with tables of full width."""

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
    angle = angle.repeat_interleave(2, dim=-1)
    columns = torch.arange(x.shape[-1], device=x.device)
    sign = torch.where(columns % 2 == 0, -1.0, 1.0).to(torch.float32)
    # 1, 0, 3, 2, ...
    partner = columns + 1 - 2 * (columns % 2)
    h = x.to(torch.float32)
    return (h * torch.cos(angle) + h.index_select(-1, partner) * sign * torch.sin(angle)).to(x.dtype)
