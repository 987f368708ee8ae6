"""Mistakes in the number of bytes that a cache takes."""

from __future__ import annotations

from typing import Any

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.attention import AttentionSteps

_LOST = {
    "batch": "Forgets the batch: counts the bytes of one sequence.",
    "length": "Forgets the length: counts the bytes of one token.",
    "n_layers": "Forgets the layers: counts the bytes of one layer.",
    "n_kv_heads": "Forgets the heads: counts the bytes of one key/value head.",
}


class _Bytes(AttentionSteps):
    def kv_cache_bytes(self, *args: int, **kwargs: int) -> int:
        names = ("batch", "length", "n_layers", "n_kv_heads", "head_dim", "bytes_per_element")
        sizes = dict(zip(names, args, strict=False)) | kwargs
        result: int = self.counted_bytes(sizes)
        return result

    def counted_bytes(self, sizes: dict[str, int]) -> Any:
        """The bytes for these sizes."""
        return AttentionSteps.kv_cache_bytes(self, **sizes)


@mistake("attn.bytes_keys_only", part="attention")
class KeysOnly(_Bytes):
    """Counts the keys and forgets the values."""

    def counted_bytes(self, sizes: dict[str, int]) -> Any:
        return super().counted_bytes(sizes) // 2


def _forgets(name: str, sentence: str) -> None:
    class Forgets(_Bytes):
        def counted_bytes(self, sizes: dict[str, int]) -> Any:
            return super().counted_bytes(sizes | {name: 1})

    Forgets.__doc__ = sentence
    mistake(f"attn.bytes_without_{name.removeprefix('n_')}", part="attention")(Forgets)


for _name, _sentence in _LOST.items():
    _forgets(_name, _sentence)


@mistake("attn.bytes_fixed_element", part="attention")
class FixedElement(_Bytes):
    """Takes 2 bytes an element, as for bf16, whatever bytes_per_element says."""

    def counted_bytes(self, sizes: dict[str, int]) -> Any:
        return super().counted_bytes(sizes | {"bytes_per_element": 2})


@mistake("attn.bytes_fixed_wide_element", part="attention")
class FixedWideElement(_Bytes):
    """Takes 4 bytes an element, as for FP32, whatever bytes_per_element says."""

    def counted_bytes(self, sizes: dict[str, int]) -> Any:
        return super().counted_bytes(sizes | {"bytes_per_element": 4})


@mistake("attn.bits_not_bytes", part="attention")
class Bits(_Bytes):
    """Counts bits instead of bytes."""

    def counted_bytes(self, sizes: dict[str, int]) -> Any:
        return super().counted_bytes(sizes) * 8


@mistake("attn.bytes_as_float", part="attention")
class AsFloat(_Bytes):
    """Returns the bytes as a float instead of an int."""

    def counted_bytes(self, sizes: dict[str, int]) -> Any:
        return float(super().counted_bytes(sizes))


@mistake("attn.bytes_as_mebibytes", part="attention")
class AsMebibytes(_Bytes):
    """Returns mebibytes instead of bytes."""

    def counted_bytes(self, sizes: dict[str, int]) -> Any:
        return super().counted_bytes(sizes) / 2**20
