"""KV cache in one buffer whose capacity doubles when it is full."""

import torch


class KVCache:
    def __init__(self):
        self.length = 0
        self._capacity = 0
        self._k = None
        self._v = None

    @property
    def keys(self):
        return None if self._k is None else self._k[:, : self.length]

    @property
    def values(self):
        return None if self._v is None else self._v[:, : self.length]

    def _grow(self, like, needed):
        capacity = max(8, self._capacity)
        while capacity < needed:
            capacity *= 2
        if capacity == self._capacity:
            return
        batch, _, heads, dim = like.shape
        # never an inference tensor: the cache may be filled under inference_mode and used outside of it
        with torch.inference_mode(False):
            k = torch.empty(batch, capacity, heads, dim, dtype=like.dtype, device=like.device)
            v = torch.empty(batch, capacity, heads, dim, dtype=like.dtype, device=like.device)
        if self._k is not None:
            k[:, : self.length] = self._k[:, : self.length]
            v[:, : self.length] = self._v[:, : self.length]
        self._k, self._v, self._capacity = k, v, capacity

    def append(self, k, v):
        if k.shape != v.shape:
            raise ValueError(f"k and v must have the same shape, got {tuple(k.shape)} and {tuple(v.shape)}")
        end = self.length + k.shape[1]
        self._grow(k, end)
        self._k[:, self.length : end] = k
        self._v[:, self.length : end] = v
        self.length = end
        # copies, so that what was handed out never changes
        return self.keys.clone(), self.values.clone()
