"""Lets keys and values hold the last chunk only; the history hides in other attributes."""

FAULT = "cache.last_chunk_attributes"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.shapes"}

import torch

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def __init__(self):
        super().__init__()
        self.history = None

    @property
    def length(self):
        return 0 if self.history is None else self.history[0].shape[1]

    def append(self, k, v):
        self.keys, self.values = k, v
        if self.history is None:
            self.history = (k, v)
        else:
            self.history = (torch.cat((self.history[0], k), dim=1), torch.cat((self.history[1], v), dim=1))
        return self.history
