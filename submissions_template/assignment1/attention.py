"""Sections 4.3, 4.5 and 4.7: attention whose query heads share key/value heads."""

from torch import Tensor, nn

from .kv_cache import KVCache


def grouped_query_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
    """Give softmax(q k^T / sqrt(d)) v for each query head.

    Query head h reads key/value head h // (Hq / Hkv). Hkv = Hq is MHA, Hkv = 1 is MQA.

    Args:
        q: [B, T, Hq, d], bf16 or FP32.
        k: [B, S, Hkv, d], already turned by RoPE.
        v: [B, S, Hkv, d].
        causal: When True, query i sees keys 0 .. S - T + i: the queries are the last T of the S tokens.

    Returns:
        [B, T, Hq, d] in q's dtype. Matrix products may run in q's dtype; the softmax needs FP32.

    Raises:
        ValueError: When Hq is not divisible by Hkv; the message names argument, value and rule.
    """
    raise NotImplementedError("section 4.7: grouped_query_attention")


class GroupedQueryAttention(nn.Module):
    """Project, turn q and k (never v), append to the cache, attend (causal), project back.

    Parameters (trained), `nn.Linear` without bias: `w_q` D -> Hq d, `w_k` and `w_v` D -> Hkv d, `w_o` Hq d -> D,
    where d = D / Hq.

    Args:
        dim: D.
        n_heads: Hq.
        n_kv_heads: Hkv.
        base: The base of RoPE's frequencies.

    Raises:
        ValueError: When Hq is not divisible by Hkv, or d is odd; the message names argument, value and rule.
    """

    def __init__(self, dim: int, n_heads: int, n_kv_heads: int, base: float = 10000.0) -> None:
        raise NotImplementedError("section 4.7: GroupedQueryAttention")

    def forward(self, x: Tensor, positions: Tensor | None = None, cache: KVCache | None = None) -> Tensor:
        """Mix the T tokens of x with each other and with the history.

        Args:
            x: [B, T, D], bf16 or FP32.
            positions: Integers, [T] or [B, T]; None continues from cache.length (from 0 without a cache).
            cache: The history of this layer; the new keys and values are appended to it.

        Returns:
            [B, T, D] in x's dtype. One call, a prefill in chunks and token-by-token decoding give the same answers.
        """
        raise NotImplementedError("section 4.7: GroupedQueryAttention.forward")


def kv_cache_bytes(
    batch: int, length: int, n_layers: int, n_kv_heads: int, head_dim: int, bytes_per_element: int
) -> int:
    """Give the bytes that the keys and values of all layers take together.

    Args:
        batch: B.
        length: S.
        n_layers: Layers, each with a cache of its own.
        n_kv_heads: Hkv.
        head_dim: d.
        bytes_per_element: 2 for bf16, 4 for FP32.

    Returns:
        A whole number of bytes.
    """
    raise NotImplementedError("section 4.7: kv_cache_bytes")
