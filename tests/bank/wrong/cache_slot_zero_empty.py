"""Starts writing at slot 1, so a zero key sits before the history."""

FAULT = "cache.slot_zero_empty"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.append-order"}

import torch

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def append(self, k, v):
        if self.keys is None:
            self.keys = torch.zeros_like(k[:, :1])
            self.values = torch.zeros_like(v[:, :1])
        return super().append(k, v)
