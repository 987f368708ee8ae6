"""K and V together in one tensor [2, B, S, Hkv, d]."""

VARIES = "assignment1/kv_cache.py"

import torch


class KVCache:
    def __init__(self):
        self.both = None

    length = property(lambda self: 0 if self.both is None else self.both.shape[2])
    keys = property(lambda self: None if self.both is None else self.both[0])
    values = property(lambda self: None if self.both is None else self.both[1])

    def append(self, k, v):
        new = torch.stack((k, v))
        self.both = new if self.both is None else torch.cat((self.both, new), dim=2)
        return self.both[0], self.both[1]
