"""Keeps the history in bf16 to save memory and gives it back in the dtype it came in."""

FAULT = "cache.rounded"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.append-order"}

import torch

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def append(self, k, v):
        small_k, small_v = k.to(torch.bfloat16), v.to(torch.bfloat16)
        return super().append(small_k.to(k.dtype), small_v.to(v.dtype))
