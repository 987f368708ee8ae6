"""Sections 4.5 and 4.7: the keys and values that decoding remembers."""

from torch import Tensor


class KVCache:
    """The history of one attention layer. Two caches share nothing.

    Keys come in already turned by RoPE and are never turned again. Both keep their Hkv heads and their dtype.

    Attributes (properties are fine too):
        keys: [B, S, Hkv, d], everything appended so far.
        values: [B, S, Hkv, d], likewise.
        length: S, an int; 0 for a new cache.
    """

    keys: Tensor | None
    values: Tensor | None
    length: int

    def __init__(self) -> None:
        raise NotImplementedError("section 4.5: KVCache")

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add T new tokens behind the history. What an earlier call returned must not change.

        Args:
            k: [B, T, Hkv, d].
            v: [B, T, Hkv, d].

        Returns:
            All keys and all values so far, each [B, S, Hkv, d], S including the T new tokens.
        """
        raise NotImplementedError("section 4.5: KVCache.append")
