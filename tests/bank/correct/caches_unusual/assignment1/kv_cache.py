from __future__ import annotations

from typing import Final

import torch

CHUNK: Final = 16


class KVCache:
    """Room for CHUNK tokens at a time. Slots are written once; what append returns are views of them."""

    keys: torch.Tensor | None
    values: torch.Tensor | None
    length: int

    def __init__(self) -> None:
        self.length = 0
        self.keys = self.values = None
        self._room: list[torch.Tensor] = []

    def _new_room(self, like: torch.Tensor, tokens: int) -> torch.Tensor:
        b, _, heads, d = like.shape
        with torch.inference_mode(False):
            return torch.zeros(b, tokens, heads, d, dtype=like.dtype, device=like.device)

    def _reserve(self, k: torch.Tensor, v: torch.Tensor, total: int) -> None:
        if self._room and self._room[0].shape[1] >= total:
            return
        tokens = -(-total // CHUNK) * CHUNK
        room = [self._new_room(k, tokens), self._new_room(v, tokens)]
        for new, old in zip(room, self._room, strict=False):
            new[:, : self.length] = old[:, : self.length]
        self._room = room

    def append(self, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        start, stop = self.length, self.length + k.shape[1]
        self._reserve(k, v, stop)
        self._room[0][:, start:stop] = k
        self._room[1][:, start:stop] = v
        self.length = stop
        self.keys, self.values = (room[:, :stop] for room in self._room)
        return self.keys, self.values
