"""Keys and values of the tokens seen so far."""

import torch


class KVCache:
    """Grows by concatenation along time; keys and values are [B, S, Hkv, d], or None while empty."""

    def __init__(self):
        self.keys = None
        self.values = None

    @property
    def length(self):
        return 0 if self.keys is None else self.keys.shape[1]

    def append(self, k, v):
        if self.keys is None:
            self.keys, self.values = k, v
        else:
            self.keys = torch.cat((self.keys, k), dim=1)
            self.values = torch.cat((self.values, v), dim=1)
        return self.keys, self.values
