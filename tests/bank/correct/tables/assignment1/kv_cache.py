"""Key/value cache of one layer."""

import torch
from torch import Tensor


class KVCache:
    """keys and values: [B, S, Hkv, d]; both empty at the start."""

    def __init__(self) -> None:
        self.keys = torch.empty(0)
        self.values = torch.empty(0)
        self.length = 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        if k.ndim != 4 or k.shape[:3] != v.shape[:3]:
            raise ValueError(f"k, v: expected two [B, T, Hkv, d], got {list(k.shape)} and {list(v.shape)}")
        first = self.length == 0
        self.keys = k.clone() if first else torch.cat([self.keys, k], 1)
        self.values = v.clone() if first else torch.cat([self.values, v], 1)
        self.length += k.shape[1]
        return self.keys, self.values
