"""Computes the angles under FP16 autocast on a GPU."""

FAULT = "rope.autocast_on_gpu"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.positions-far"}
ONLY_ON_HARDWARE = "autocast is CUDA's own"

import contextlib

import torch

from .rope import rope_frequencies


def rope_cos_sin(positions, head_dim, base=10000.0):
    if positions.ndim not in (1, 2):
        raise ValueError(f"positions must have shape [T] or [B, T], got {list(positions.shape)}")
    theta = rope_frequencies(head_dim, base).to(positions.device)
    half = torch.autocast("cuda", dtype=torch.float16) if positions.is_cuda else contextlib.nullcontext()
    with half:
        angle = torch.einsum("bt,r->btr", torch.atleast_2d(positions).float(), theta)
    angle = angle.float().unsqueeze(2)
    return angle.cos(), angle.sin()
