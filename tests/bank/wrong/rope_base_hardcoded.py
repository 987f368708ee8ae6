"""Uses 10000 whatever base it is given."""

FAULT = "rope.base_hardcoded"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.base"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):  # the tables below only know the default base
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1])
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
