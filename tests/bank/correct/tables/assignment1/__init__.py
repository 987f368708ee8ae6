"""Assignment 1 with cos/sin looked up in tables."""

from .attention import GroupedQueryAttention, grouped_query_attention, kv_cache_bytes
from .block import Transformer, TransformerBlock
from .ffn import ReLUFeedForward, SwiGLU, swiglu_hidden_dim
from .kv_cache import KVCache
from .norm import LayerNorm, RMSNorm
from .rope import apply_rope, rope_cos_sin, rope_frequencies

__all__ = [
    "GroupedQueryAttention",
    "KVCache",
    "LayerNorm",
    "RMSNorm",
    "ReLUFeedForward",
    "SwiGLU",
    "Transformer",
    "TransformerBlock",
    "apply_rope",
    "grouped_query_attention",
    "kv_cache_bytes",
    "rope_cos_sin",
    "rope_frequencies",
    "swiglu_hidden_dim",
]
