"""apply_rope with tables that are kept between calls: the device is in their key."""

VARIES = "assignment1/rope.py"

import torch

TABLES = {}


def rows_for(head_dim, base, device, count):
    """cos and sin of positions 0 .. at least count - 1, each [rows, d/2], on that device."""
    key = (head_dim, base, str(device))
    if key not in TABLES or TABLES[key][0].shape[0] < count:
        r = torch.arange(0, head_dim, 2, dtype=torch.float32, device=device)
        angle = torch.arange(count, dtype=torch.float32, device=device)[:, None] * base ** (-r / head_dim)
        TABLES[key] = (angle.cos(), angle.sin())
    return TABLES[key]


def apply_rope(x, positions, base=10000.0):
    if x.shape[-1] % 2 != 0:
        raise ValueError(f"head_dim must be even, got {x.shape[-1]}")
    if tuple(positions.shape) not in {tuple(x.shape[1:2]), tuple(x.shape[:2])}:
        raise ValueError(f"positions must be [T] or [B, T] of x {list(x.shape)}, got {list(positions.shape)}")
    where = torch.atleast_2d(positions).to(x.device).long()
    count = int(where.max()) + 1 if where.numel() else 1  # one element is read, however many tokens there are
    cos, sin = (part[where].unsqueeze(2) for part in rows_for(x.shape[-1], base, x.device, count))
    a, b = x.float()[..., 0::2], x.float()[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2).to(x.dtype)
