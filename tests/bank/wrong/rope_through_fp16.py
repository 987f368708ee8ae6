"""Rounds twice: the FP32 result passes through FP16 on its way to bf16."""

FAULT = "rope.through_fp16"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.precision"}

import torch

from .rope import check_positions, rope_cos_sin, rotate_pairs


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    rotated = rotate_pairs(x.float(), cos, sin)
    if x.dtype != torch.float32:
        rotated = rotated.half()
    return rotated.to(x.dtype)
