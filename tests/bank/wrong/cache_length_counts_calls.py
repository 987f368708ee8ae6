"""Counts calls of append instead of tokens."""

FAULT = "cache.length_counts_calls"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.starts-empty"}

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def __init__(self):
        super().__init__()
        self.calls = 0

    @property
    def length(self):
        return self.calls

    def append(self, k, v):
        self.calls += 1
        return super().append(k, v)
