"""Returns the tables without the head axis: [1, T, d/2] instead of [1, T, 1, d/2]."""

FAULT = "rope.cos_sin_no_head_axis"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.cos-sin-shapes"}

from .rope import check_positions, rope_frequencies, rotate_pairs


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base).to(positions.device)
    angle = positions.float().unsqueeze(-1) * theta
    if positions.ndim == 1:
        angle = angle.unsqueeze(0)
    return angle.cos(), angle.sin()


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    return rotate_pairs(x.float(), cos.unsqueeze(2), sin.unsqueeze(2)).to(x.dtype)
