"""One buffer each, twice as large whenever it is full; hands out copies."""

VARIES = "assignment1/kv_cache.py"

import torch


class KVCache:
    def __init__(self):
        self.length = 0
        self.key_buffer = self.value_buffer = None

    @property
    def keys(self):
        return None if self.key_buffer is None else self.key_buffer[:, : self.length].clone()

    @property
    def values(self):
        return None if self.value_buffer is None else self.value_buffer[:, : self.length].clone()

    def enlarged(self, buffer, like, capacity):
        with torch.inference_mode(False):
            larger = torch.zeros(like.shape[0], capacity, *like.shape[2:], dtype=like.dtype, device=like.device)
        if buffer is not None:
            larger[:, : self.length] = buffer[:, : self.length]
        return larger

    def append(self, k, v):
        end = self.length + k.shape[1]
        if self.key_buffer is None or end > self.key_buffer.shape[1]:
            capacity = max(end, 2 * self.length, 4)
            self.key_buffer = self.enlarged(self.key_buffer, k, capacity)
            self.value_buffer = self.enlarged(self.value_buffer, v, capacity)
        self.key_buffer[:, self.length : end] = k
        self.value_buffer[:, self.length : end] = v
        self.length = end
        return self.keys, self.values
