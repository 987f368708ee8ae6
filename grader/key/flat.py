"""Many small tensors in a few flat ones, one a dtype: a file of thousands of small ones would be mostly its header."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

Ref = tuple[str, int, list[int]]
"""dtype, offset, shape; as JSON holds it."""


class Packer:
    """Collects tensors."""

    def __init__(self) -> None:
        self._parts: dict[str, list[Tensor]] = {}
        self._lengths: dict[str, int] = {}

    def add(self, tensor: Tensor) -> Ref:
        """Where ``tensor`` will be found."""
        name = str(tensor.dtype).removeprefix("torch.")
        offset = self._lengths.get(name, 0)
        self._parts.setdefault(name, []).append(tensor.detach().reshape(-1))
        self._lengths[name] = offset + tensor.numel()
        return name, offset, list(tensor.shape)

    def flat(self) -> dict[str, Tensor]:
        """All of them, by dtype."""
        return {name: torch.cat(parts).contiguous() for name, parts in self._parts.items()}


def unpack(flat: Mapping[str, Tensor], ref: Ref) -> Tensor:
    """The tensor at ``ref``, with memory of its own: nobody's change reaches another one."""
    name, offset, shape = ref
    return flat[name][offset : offset + math.prod(shape)].reshape(shape).clone()
