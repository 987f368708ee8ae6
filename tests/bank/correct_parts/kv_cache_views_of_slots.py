"""Room for 16 more tokens at a time; hands out views of slots that are written once."""

VARIES = "assignment1/kv_cache.py"

import torch


class KVCache:
    def __init__(self):
        self.length = 0
        self.slots = None

    keys = property(lambda self: None if self.slots is None else self.slots[0][:, : self.length])
    values = property(lambda self: None if self.slots is None else self.slots[1][:, : self.length])

    def append(self, k, v):
        end = self.length + k.shape[1]
        if self.slots is None or end > self.slots[0].shape[1]:
            capacity = (end // 16 + 1) * 16
            with torch.inference_mode(False):
                larger = [x.new_empty(x.shape[0], capacity, *x.shape[2:]) for x in (k, v)]
            if self.slots is not None:
                larger[0][:, : self.length], larger[1][:, : self.length] = self.keys, self.values
            self.slots = larger
        self.slots[0][:, self.length : end] = k
        self.slots[1][:, self.length : end] = v
        self.length = end
        return self.keys, self.values
