"""Sections 4.5 and 4.7: the keys and values that decoding remembers."""

from typing import NamedTuple

import torch
from torch import Tensor


class KeysValues(NamedTuple):
    """All keys and values seen so far, each [B, S, Hkv, d]."""

    keys: Tensor
    values: Tensor


class KVCache:
    """The history of one attention layer: keys, already turned to their positions, and values.

    The cache only concatenates. It does not turn keys (the layer did so, once, before the append) and does not repeat
    heads: Hkv heads are stored, however many query heads read them. A longer history is a new tensor, so what an
    earlier append returned never changes.

    Attributes:
        keys: [B, S, Hkv, d] in the dtype that was appended; None while nothing is.
        values: [B, S, Hkv, d] likewise.
    """

    def __init__(self) -> None:
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    @property
    def length(self) -> int:
        """S, the tokens seen so far; also the position of the next token."""
        return 0 if self.keys is None else self.keys.shape[1]

    def append(self, k: Tensor, v: Tensor) -> KeysValues:
        """Add the keys and values of T new tokens behind the history.

        Args:
            k: [B, T, Hkv, d], already turned.
            v: [B, T, Hkv, d].

        Returns:
            The whole history, new tokens last: keys and values, each [B, S, Hkv, d].

        Raises:
            ValueError: When k and v differ in shape, are not [B, T, Hkv, d], or do not fit the history.
        """
        if k.dim() != 4 or k.shape != v.shape:
            raise ValueError(f"k and v must both be [B, T, Hkv, d], got k {list(k.shape)} and v {list(v.shape)}")
        history = KeysValues(_extend("k", self.keys, k), _extend("v", self.values, v))
        self.keys, self.values = history
        return history


def _extend(name: str, history: Tensor | None, new: Tensor) -> Tensor:
    if history is None:
        return new
    batch, _, n_kv_heads, head_dim = history.shape
    if (new.shape[0], *new.shape[2:], new.dtype) != (batch, n_kv_heads, head_dim, history.dtype):
        raise ValueError(
            f"{name} must be [B, T, Hkv, d] = [{batch}, T, {n_kv_heads}, {head_dim}] in {history.dtype}, "
            f"like the history; got {list(new.shape)} in {new.dtype}"
        )
    return torch.cat((history, new), dim=1)  # [B, S + T, Hkv, d]
