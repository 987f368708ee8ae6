"""Lays the frequencies out as t0, t1, t0, t1 while the rotation works on adjacent pairs."""

FAULT = "rope.freq_layout"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.adjacent-pairs"}

import torch


def rotate_pairs(x, cos, sin):
    cos = torch.cat((cos, cos), dim=-1)
    sin = torch.cat((sin, sin), dim=-1)
    turned = torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)
    return x * cos + turned * sin
