"""Uses the first row of [B, T] positions for the whole batch."""

FAULT = "rope.batch_row0"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.positions-batched"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    if positions.ndim == 2:
        positions = positions[0]
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
