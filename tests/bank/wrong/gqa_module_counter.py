"""Counts decoded tokens on the module instead of reading the cache, so two sequences mix."""

FAULT = "gqa.module_counter"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.two-caches"}

import torch

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def choose_positions(self, x, positions, cache):
        if positions is not None:
            return positions
        start = 0 if cache is None or cache.length == 0 else self.next_position
        if cache is not None:
            self.next_position = start + x.shape[1]
        return torch.arange(start, start + x.shape[1], device=x.device)
