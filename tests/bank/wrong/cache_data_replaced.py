"""Swaps the data of the tensors it has already returned, so earlier results grow as well."""

FAULT = "cache.data_replaced"
MUTATES = "assignment1/kv_cache.py"
KILLED_BY = {"cache.earlier-results"}

import torch

from .kv_cache import KVCache as PlainKVCache


class KVCache(PlainKVCache):
    def append(self, k, v):
        if self.keys is None:
            self.keys, self.values = k.clone(), v.clone()
        else:
            self.keys.data = torch.cat((self.keys, k), dim=1)
            self.values.data = torch.cat((self.values, v), dim=1)
        return self.keys, self.values
