"""Moves on after a chunk but not after a single token, so each new token overwrites the one before."""

FAULT = "cache.slot_stuck"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.long"}

import torch

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def __init__(self):
        super().__init__()
        self.next_slot = 0

    def append(self, k, v):
        if self.keys is None:
            self.keys, self.values = k, v
        else:
            self.keys = torch.cat((self.keys[:, : self.next_slot], k), dim=1)
            self.values = torch.cat((self.values[:, : self.next_slot], v), dim=1)
        if k.shape[1] > 1 or self.next_slot == 0:
            self.next_slot += k.shape[1]
        return self.keys, self.values
