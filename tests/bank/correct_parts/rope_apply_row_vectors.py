"""Row vectors times the transposed block-diagonal matrix."""

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
    # R^T of one pair: the row (a, b) becomes (a cos - b sin, a sin + b cos)
    blocks = torch.stack((cos, sin, -sin, cos), dim=-1).unflatten(-1, (2, 2))
    pairs = x.shape[-1] // 2
    matrix = torch.zeros(*cos.shape[:2], pairs, 2, pairs, 2, device=x.device, dtype=torch.float32)
    index = torch.arange(pairs, device=x.device)
    matrix[:, :, index, :, index, :] = blocks.permute(2, 0, 1, 3, 4)
    matrix = matrix.flatten(4, 5).flatten(2, 3)
    return torch.matmul(x.float(), matrix).to(x.dtype)
