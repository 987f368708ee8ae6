"""KV cache that keeps [B, Hkv, S, d] inside, the layout which the matmuls like."""

import torch


class KVCache:
    """Grows by concatenation along the time axis."""

    def __init__(self) -> None:
        self._keys: torch.Tensor | None = None
        self._values: torch.Tensor | None = None

    @property
    def length(self) -> int:
        return 0 if self._keys is None else self._keys.size(2)

    @property
    def keys(self) -> torch.Tensor | None:
        """[B, S, Hkv, d]."""
        return None if self._keys is None else self._keys.transpose(1, 2)

    @property
    def values(self) -> torch.Tensor | None:
        """[B, S, Hkv, d]."""
        return None if self._values is None else self._values.transpose(1, 2)

    def append(self, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """k, v: [B, T, Hkv, d] -> all keys and values so far, [B, S, Hkv, d]."""
        k, v = k.transpose(1, 2), v.transpose(1, 2)
        self._keys = k.clone() if self._keys is None else torch.cat((self._keys, k), dim=2)
        self._values = v.clone() if self._values is None else torch.cat((self._values, v), dim=2)
        return self.keys, self.values
