"""Looks cos and sin up in tables that were made on the CPU when the module was imported."""

FAULT = "rope.tables_on_cpu"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"device.tables"}

import torch

from .rope import check_positions, rope_cos_sin, rotate_pairs

ROWS = 4096
TABLES = {}


def table(head_dim, base):
    key = (head_dim, base)
    if key not in TABLES:
        TABLES[key] = rope_cos_sin(torch.arange(ROWS), head_dim, base)
    return TABLES[key]


def apply_rope(x, positions, base=10000.0):
    check_positions(x, positions)
    if positions.numel() == 0 or int(positions.max()) >= ROWS:
        cos, sin = rope_cos_sin(positions.to(x.device), x.shape[-1], base)
    else:
        cos, sin = (part[0, positions] for part in table(x.shape[-1], base))  # [T or B, (T,) 1, d/2]
        if positions.ndim == 1:
            cos, sin = cos.unsqueeze(0), sin.unsqueeze(0)
    return rotate_pairs(x.float(), cos, sin).to(x.dtype)
