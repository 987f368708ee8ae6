"""Keeps the history on the class, so all caches share it."""

FAULT = "cache.shared_by_all"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.independent"}

import torch


class KVCache:
    chunks = []  # noqa: RUF012 - the mistake

    @property
    def keys(self):
        return torch.cat([k for k, _ in self.chunks], dim=1) if self.chunks else None

    @property
    def values(self):
        return torch.cat([v for _, v in self.chunks], dim=1) if self.chunks else None

    @property
    def length(self):
        return sum(k.shape[1] for k, _ in self.chunks)

    def append(self, k, v):
        self.chunks.append((k, v))
        return self.keys, self.values
