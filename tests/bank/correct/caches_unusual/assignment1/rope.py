from __future__ import annotations

import math

import torch

from .helpers import require


def rope_frequencies(head_dim: int, base: float = 10000.0) -> torch.Tensor:
    require(head_dim > 0 and head_dim % 2 == 0, "head_dim", head_dim, "a positive even number")
    r = torch.arange(head_dim // 2, dtype=torch.float32)
    return torch.exp(r * (-2.0 * math.log(base) / head_dim))


def rope_cos_sin(positions: torch.Tensor, head_dim: int, base: float = 10000.0) -> tuple[torch.Tensor, torch.Tensor]:
    require(positions.dim() in {1, 2}, "positions.shape", tuple(positions.shape), "[T] or [B, T]")
    theta = rope_frequencies(head_dim, base).to(positions.device)
    p = torch.atleast_2d(positions).float()
    angle = (p[:, :, None] * theta)[:, :, None, :]
    return torch.cos(angle), torch.sin(angle)


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000.0) -> torch.Tensor:
    b, t, _, d = x.shape
    allowed = {(t,), (b, t)}
    require(tuple(positions.shape) in allowed, "positions.shape", tuple(positions.shape), f"one of {sorted(allowed)}")
    cos, sin = rope_cos_sin(positions.to(x.device), d, base)
    # sign folded into the second table: (a, b) * cos + (b, a) * (-sin, sin)
    cos_full = cos.repeat_interleave(2, dim=-1)
    sin_full = torch.stack((-sin, sin), dim=-1).flatten(-2)
    h = x.float()
    swapped = h.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    return (h * cos_full + swapped * sin_full).to(x.dtype)
