"""Restarts positions at 0 on every decode step."""

FAULT = "cache.decode_pos_zero"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.decode-continues"}

import torch

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def choose_positions(self, x, positions, cache):
        if positions is not None:
            return positions
        return torch.arange(x.shape[1], device=x.device)
