"""Puts new tokens before the history, and stores everything in bf16."""

FAULTS = ("cache.new_first", "cache.rounded")
MUTATES = "assignment1/kv_cache.py"

import torch

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def append(self, k, v):
        k, v = (new.to(torch.bfloat16).to(new.dtype) for new in (k, v))
        if self.keys is not None:
            k, v = torch.cat((k, self.keys), dim=1), torch.cat((v, self.values), dim=1)
        self.keys, self.values = k, v
        return k, v
