"""On a GPU, keeps keys and values in one buffer for all caches of a shape, as a captured graph needs it."""

FAULT = "cache.captured_buffer"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.independent"}

import torch

from .kv_cache import KVCache as PlainCache

ROWS = 512
BUFFERS = {}


class KVCache(PlainCache):
    def append(self, k, v):
        past = self.length
        total = past + k.shape[1]
        if not k.is_cuda or k.requires_grad or total > ROWS:
            return super().append(k, v)
        batch, _, heads, width = k.shape
        key = (batch, heads, width, k.dtype)
        if key not in BUFFERS:
            BUFFERS[key] = torch.zeros(2, batch, ROWS, heads, width, dtype=k.dtype, device=k.device)
        BUFFERS[key][0, :, past:total] = k.detach()
        BUFFERS[key][1, :, past:total] = v.detach()
        self.keys, self.values = BUFFERS[key][0, :, :total], BUFFERS[key][1, :, :total]
        return self.keys, self.values
