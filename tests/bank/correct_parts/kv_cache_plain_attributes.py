"""keys, values and length are plain attributes, and an empty cache holds tensors without tokens."""

VARIES = "assignment1/kv_cache.py"

import torch


class KVCache:
    def __init__(self):
        self.keys = self.values = torch.zeros(0, 0, 0, 0)
        self.length = 0

    def append(self, k, v):
        if self.length == 0:
            self.keys, self.values = k[:, :0], v[:, :0]
        self.keys = torch.concatenate((self.keys, k), dim=1)
        self.values = torch.concatenate((self.values, v), dim=1)
        self.length += k.shape[1]
        return self.keys, self.values
