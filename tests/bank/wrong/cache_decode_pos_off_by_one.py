"""Starts decoding one position too far, at the history's length plus one."""

FAULT = "cache.decode_pos_off_by_one"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.decode-continues"}

import torch

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def choose_positions(self, x, positions, cache):
        if positions is not None:
            return positions
        start = 0 if cache is None or cache.length == 0 else cache.length + 1
        return torch.arange(start, start + x.shape[1], device=x.device)
