"""Computes the angles in numpy and sends the tables back."""

FAULT = "rope.numpy_round_trip"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"device.no-round-trip"}

import numpy
import torch

from .rope import rope_frequencies


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base).numpy().astype(numpy.float64)
    angle = numpy.atleast_2d(positions.cpu().numpy())[:, :, None, None] * theta
    cos, sin = (torch.from_numpy(part(angle).astype(numpy.float32)) for part in (numpy.cos, numpy.sin))
    return cos.to(positions.device), sin.to(positions.device)
