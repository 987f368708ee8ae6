"""Writes padded rows into the cache with index_put_, the last of several for one row counting."""

FAULT = "cache.scatter_over_old_rows"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.append-order"}
ONLY_ON_HARDWARE = "the order of writes to one element is CUDA's own"

import torch


class KVCache:
    """Rounds the number of new rows up to a multiple of 64: the copies of row 0 are written first, the row last."""

    def __init__(self):
        self.keys = None
        self.values = None

    @property
    def length(self):
        return 0 if self.keys is None else self.keys.shape[1]

    def append(self, k, v):
        self.keys, self.values = self._grown(self.keys, k), self._grown(self.values, v)
        return self.keys, self.values

    def _grown(self, old, new):
        batch, tokens, heads, width = new.shape
        past = 0 if old is None else old.shape[1]
        whole = new.new_zeros(batch, past + tokens, heads, width)
        if old is not None:
            whole[:, :past] = old
        padding = -tokens % 64
        rows = torch.cat((torch.zeros(padding, dtype=torch.long), torch.arange(tokens))).to(new.device)
        source = torch.cat((torch.zeros_like(new[:, :1]).expand(-1, padding, -1, -1), new), dim=1)
        sequence = torch.arange(batch, device=new.device).unsqueeze(1)
        whole[:, past:] = torch.zeros_like(new).index_put((sequence, rows.unsqueeze(0)), source)
        return whole
