"""RoPE: bring all even components to the front, use the well-known rotate_half, and put them back."""

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim & 1:
        raise ValueError(f"head_dim has to be even and > 0, not {head_dim}")
    return base ** (-torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim)


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.dim() > 2 or positions.dim() < 1:
        raise ValueError(f"positions has to be [T] or [B, T], not {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base).to(positions.device)
    rows = positions if positions.dim() == 2 else positions.unsqueeze(0)
    angle = rows.float()[:, :, None, None] * theta
    return angle.cos(), angle.sin()


def permutation(head_dim, device):
    """Column order 0, 2, 4, ..., 1, 3, 5, ..."""
    return torch.cat((torch.arange(0, head_dim, 2, device=device), torch.arange(1, head_dim, 2, device=device)))


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rope(x, positions, base=10000.0):
    head_dim = x.shape[-1]
    expected = [[x.shape[1]], [x.shape[0], x.shape[1]]]
    if list(positions.shape) not in expected:
        raise ValueError(
            f"positions has to be [T] = {expected[0]} or [B, T] = {expected[1]}, not {list(positions.shape)}"
        )
    cos, sin = rope_cos_sin(positions.to(x.device), head_dim, base)
    cos, sin = torch.cat((cos, cos), dim=-1), torch.cat((sin, sin), dim=-1)
    order = permutation(head_dim, x.device)
    h = x.float()[..., order]
    h = h * cos + rotate_half(h) * sin
    return h[..., order.argsort()].to(x.dtype)
