import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim < 1 or head_dim % 2:
        raise ValueError(f"{head_dim=} is not positive and even")
    return base ** (torch.arange(0, head_dim, 2, dtype=torch.float32) / -head_dim)


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions.shape={list(positions.shape)} is not [T] or [B, T]")
    angle = torch.atleast_2d(positions)[..., None, None] * rope_frequencies(head_dim, base).to(positions.device)
    return angle.cos(), angle.sin()


def apply_rope(x, positions, base=10000.0):
    if positions.shape not in (x.shape[1:2], x.shape[:2]):
        raise ValueError(f"positions.shape={list(positions.shape)} does not fit x.shape={list(x.shape)}")
    c, s = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((a * c - b * s, a * s + b * c), -1).flatten(-2).type_as(x)
