"""Keeps keys and values in FP32 whatever dtype they come in."""

FAULT = "cache.dtype"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.dtype"}

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def append(self, k, v):
        return super().append(k.float(), v.float())
