"""Rotary embedding. A pair (a, b) is the complex number a + bi; rotating it is multiplying by e^(i * angle)."""

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be positive and even, got head_dim={head_dim}")
    exponent = torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim
    return 1.0 / torch.pow(torch.tensor(base, dtype=torch.float32), exponent)


def rotations(positions, head_dim, base):
    """Unit complex numbers, [1 or B, T, 1, d/2]."""
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {tuple(positions.shape)}")
    theta = rope_frequencies(head_dim, base).to(positions.device)
    angle = positions.to(torch.float32).unsqueeze(-1) * theta
    if positions.ndim == 1:
        angle = angle.unsqueeze(0)
    angle = angle.unsqueeze(2)
    return torch.polar(torch.ones_like(angle), angle)


def rope_cos_sin(positions, head_dim, base=10000.0):
    z = rotations(positions, head_dim, base)
    return z.real.contiguous(), z.imag.contiguous()


def apply_rope(x, positions, base=10000.0):
    positions = positions.to(x.device)
    batch, seq, _, head_dim = x.shape
    if tuple(positions.shape) not in ((seq,), (batch, seq)):
        raise ValueError(
            f"positions must have shape [T]=[{seq}] or [B, T]=[{batch}, {seq}], got {list(positions.shape)}"
        )
    z = rotations(positions, head_dim, base)
    # a fresh FP32 copy: view_as_complex wants even strides and an even offset
    pairs = x.to(torch.float32, copy=True).contiguous().reshape(*x.shape[:-1], head_dim // 2, 2)
    turned = torch.view_as_complex(pairs) * z
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)
