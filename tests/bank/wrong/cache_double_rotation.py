"""Rotates the cached keys again before every step."""

FAULT = "cache.double_rotation"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.cache-rotated-once", "gqa.chunked"}

import torch

from .attention import GroupedQueryAttention as PlainAttention
from .attention import apply_rope


class GroupedQueryAttention(PlainAttention):
    def forward(self, x, positions=None, cache=None):
        if cache is not None and cache.length > 0:
            history = torch.arange(cache.length, device=x.device)
            cache.keys = apply_rope(cache.keys, history, self.base)
        return super().forward(x, positions, cache)
