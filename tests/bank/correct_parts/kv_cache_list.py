"""Keeps the pieces in a list and joins them when they are read."""

VARIES = "assignment1/kv_cache.py"

import torch


class KVCache:
    def __init__(self):
        self.pieces = []

    @property
    def length(self):
        return sum(k.shape[1] for k, _ in self.pieces)

    @property
    def keys(self):
        return torch.cat([k for k, _ in self.pieces], dim=1) if self.pieces else None

    @property
    def values(self):
        return torch.cat([v for _, v in self.pieces], dim=1) if self.pieces else None

    def append(self, k, v):
        self.pieces.append((k, v))
        return self.keys, self.values
