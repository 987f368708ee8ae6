"""Flattens the input with view, which raises an error for a transposed or sliced input."""

FAULT = "rope.input_view"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.no-side-effects"}

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    batch, time, n_heads, head_dim = x.shape
    cos, sin = rope_cos_sin(positions.to(x.device), head_dim, base)
    tokens = x.view(batch * time, n_heads * head_dim).float()
    return rotate_pairs(tokens.view(batch, time, n_heads, head_dim), cos, sin).to(x.dtype)
