"""Pairs dimension i with i + d/2 instead of 2r with 2r+1."""

FAULT = "rope.half_split"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.adjacent-pairs"}

import torch


def rotate_pairs(x, cos, sin):
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)
