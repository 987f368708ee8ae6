"""Makes the frequencies on the CPU and multiplies them with positions wherever those are."""

FAULT = "rope.arange_without_device"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"device.tables"}

from .rope import rope_frequencies


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base)
    angle = positions.float().unsqueeze(-1) * theta
    if positions.ndim == 1:
        angle = angle.unsqueeze(0)
    angle = angle.unsqueeze(2)
    return angle.cos(), angle.sin()
