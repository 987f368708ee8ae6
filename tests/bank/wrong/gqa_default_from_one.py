"""Counts its own positions from 1, which only the cached keys show."""

FAULT = "gqa.default_from_one"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.cache-rotated-once"}

import torch

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def choose_positions(self, x, positions, cache):
        if positions is not None:
            return positions
        start = 1 if cache is None else cache.length + 1
        return torch.arange(start, start + x.shape[1], device=x.device)
