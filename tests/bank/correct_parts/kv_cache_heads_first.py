"""Stores [B, Hkv, S, d] and shows [B, S, Hkv, d]."""

VARIES = "assignment1/kv_cache.py"

import torch


class KVCache:
    def __init__(self):
        self.stored = None

    @property
    def length(self):
        return 0 if self.stored is None else self.stored[0].shape[2]

    @property
    def keys(self):
        return None if self.stored is None else self.stored[0].transpose(1, 2)

    @property
    def values(self):
        return None if self.stored is None else self.stored[1].transpose(1, 2)

    def append(self, k, v):
        new = (k.transpose(1, 2), v.transpose(1, 2))
        if self.stored is not None:
            new = tuple(torch.cat(pair, dim=2) for pair in zip(self.stored, new, strict=True))
        self.stored = new
        return self.keys, self.values
