"""Rotates by -p * theta: the minus sign sits in the wrong row of the matrix."""

FAULT = "rope.sign"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.adjacent-pairs"}

import torch


def rotate_pairs(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    rotated = torch.stack((even * cos + odd * sin, odd * cos - even * sin), dim=-1)
    return rotated.flatten(-2)
