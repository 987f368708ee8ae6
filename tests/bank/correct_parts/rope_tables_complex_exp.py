"""cos and sin as the two parts of exp(i * angle)."""

VARIES = "assignment1/rope.py"

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    if positions.dim() not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = base ** (-torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device) / head_dim)
    angle = positions.float()[..., None, None] * theta
    unit = torch.exp(torch.complex(torch.zeros_like(angle), angle))
    if positions.dim() == 1:
        unit = unit.unsqueeze(0)
    return unit.real.clone(), unit.imag.clone()
