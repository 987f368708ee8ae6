"""KV cache by concatenation."""

import torch


class KVCache:
    def __init__(self):
        self.keys = None
        self.values = None

    def __len__(self):
        return self.length

    @property
    def length(self):
        return 0 if self.keys is None else self.keys.shape[1]

    def append(self, k, v):
        if self.keys is None:
            self.keys, self.values = k.contiguous(), v.contiguous()
        else:
            self.keys = torch.cat([self.keys, k], dim=1)
            self.values = torch.cat([self.values, v], dim=1)
        return self.keys, self.values
