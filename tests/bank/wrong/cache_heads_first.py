"""Returns keys and values as [B, Hkv, S, d]."""

FAULT = "cache.heads_first"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.append-order"}

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def append(self, k, v):
        keys, values = super().append(k, v)
        return keys.transpose(1, 2), values.transpose(1, 2)
