"""Leaves every token at position 0 when no positions are given."""

FAULT = "gqa.default_zero"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.default-positions"}

import torch

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def choose_positions(self, x, positions, cache):  # positions continue only when the caller says so
        if positions is not None:
            return positions
        return torch.zeros(x.shape[1], dtype=torch.long, device=x.device)
