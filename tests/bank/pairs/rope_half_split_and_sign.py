"""Pairs dimension i with i + d/2, and rotates by -p theta."""

FAULTS = ("rope.half_split", "rope.sign")
MUTATES = "assignment1/rope.py"

import torch


def rotate_pairs(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos + second * sin, second * cos - first * sin), dim=-1)
