"""Keeps the frequencies of the first call, on that call's device, for all later calls."""

FAULT = "rope.first_device"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"device.tables"}

from .rope import rope_frequencies

THETA = {}


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    key = (head_dim, base)
    if key not in THETA:
        THETA[key] = rope_frequencies(head_dim, base).to(positions.device)
    angle = positions.float().unsqueeze(-1) * THETA[key]
    if positions.ndim == 1:
        angle = angle.unsqueeze(0)
    angle = angle.unsqueeze(2)
    return angle.cos(), angle.sin()
