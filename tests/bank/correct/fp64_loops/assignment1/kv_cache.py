import torch


class KVCache:
    def __init__(self):
        # one entry per append call
        self.k_parts = []
        self.v_parts = []

    @property
    def length(self):
        total = 0
        for part in self.k_parts:
            total += part.shape[1]
        return total

    @property
    def keys(self):
        if len(self.k_parts) == 0:
            return None
        return torch.cat(self.k_parts, dim=1)

    @property
    def values(self):
        if len(self.v_parts) == 0:
            return None
        return torch.cat(self.v_parts, dim=1)

    def append(self, k, v):
        self.k_parts.append(k)
        self.v_parts.append(v)
        return self.keys, self.values
