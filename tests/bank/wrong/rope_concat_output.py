"""Puts all rotated first members before all second members instead of interleaving them back."""

FAULT = "rope.concat_output"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.adjacent-pairs"}

import torch


def rotate_pairs(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.cat((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
