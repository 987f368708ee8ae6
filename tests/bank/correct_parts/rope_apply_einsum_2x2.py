"""One 2x2 rotation matrix for each position and pair, applied by einsum."""

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
    cos, sin = angle.cos()[:, :, 0], angle.sin()[:, :, 0]
    rows = torch.stack((torch.stack((cos, -sin), dim=-1), torch.stack((sin, cos), dim=-1)), dim=-2)
    rows = rows.expand(x.shape[0], *rows.shape[1:])
    pairs = x.float().unflatten(-1, (-1, 2))
    return torch.einsum("btrij,bthrj->bthri", rows, pairs).flatten(-2).to(x.dtype)
