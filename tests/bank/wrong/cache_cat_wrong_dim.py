"""Joins old and new along axis 2, which is time only in [B, H, T, d]."""

FAULT = "cache.cat_wrong_dim"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.append-order"}

import torch

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def append(self, k, v):
        if self.keys is None:
            self.keys, self.values = k, v
        else:
            self.keys = torch.cat((self.keys, k), dim=2)
            self.values = torch.cat((self.values, v), dim=2)
        return self.keys, self.values
