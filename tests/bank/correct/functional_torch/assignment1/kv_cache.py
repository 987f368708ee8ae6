import torch


class KVCache:
    def __init__(self):
        self._store = {}

    @property
    def keys(self):
        return self._store.get("k")

    @property
    def values(self):
        return self._store.get("v")

    @property
    def length(self):
        return self.keys.size(1) if self._store else 0

    def append(self, k, v):
        if self._store:
            k = torch.cat((self.keys, k), dim=1)
            v = torch.cat((self.values, v), dim=1)
        else:
            k, v = k.clone(), v.clone()
        self._store = {"k": k, "v": v}
        return k, v
