"""Keeps keys and values on the CPU to save memory of the GPU, and returns them there."""

FAULT = "cache.kept_on_cpu"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"device.output"}

from .kv_cache import KVCache as PlainCache


class KVCache(PlainCache):
    def append(self, k, v):
        return super().append(k.cpu(), v.cpu())
