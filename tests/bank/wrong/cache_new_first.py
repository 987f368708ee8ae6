"""Puts the new tokens before the old ones."""

FAULT = "cache.new_first"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.append-order"}

import torch

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def append(self, k, v):
        if self.keys is not None:
            k = torch.cat((k, self.keys), dim=1)
            v = torch.cat((v, self.values), dim=1)
        self.keys, self.values = k, v
        return k, v
