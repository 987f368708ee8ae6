"""Rounds the frequencies to the input's dtype before they meet the positions."""

FAULT = "rope.low_precision_inv_freq"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.precision"}

from .rope import check_positions, rope_frequencies, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    theta = rope_frequencies(x.shape[-1], base).to(device=x.device, dtype=x.dtype)
    angle = positions.to(x.device).float().unsqueeze(-1) * theta.float()
    angle = angle.unsqueeze(-2)
    if positions.ndim == 1:
        angle = angle.unsqueeze(0)
    return rotate_pairs(x.float(), angle.cos(), angle.sin()).to(x.dtype)
