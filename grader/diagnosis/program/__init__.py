"""A right submission in small steps, each of which a known mistake can replace.

The classes below hold one part of the contract each and are combined in ``Program``. Steps are methods, so a mistake
is a class with the one method that it gets wrong, usually on top of ``super()``; see ``grader.diagnosis.mistakes``.
"""

from __future__ import annotations

from typing import Any

from grader.diagnosis.program.attention import AttentionSteps
from grader.diagnosis.program.block import BlockSteps
from grader.diagnosis.program.cache import CacheSteps
from grader.diagnosis.program.ffn import FeedForwardSteps
from grader.diagnosis.program.norm import NormSteps
from grader.diagnosis.program.rope import RopeSteps


class Program(BlockSteps, FeedForwardSteps, AttentionSteps, CacheSteps, RopeSteps, NormSteps):
    """The whole contract."""

    def find(self, target: str) -> Any:
        """What the contract calls ``module:name``: a function or a constructor of this program."""
        providers = {
            "LayerNorm": self.new_layer_norm,
            "RMSNorm": self.new_rms_norm,
            "rope_frequencies": self.rope_frequencies,
            "rope_cos_sin": self.rope_cos_sin,
            "apply_rope": self.apply_rope,
            "KVCache": self.new_cache,
            "grouped_query_attention": self.grouped_query_attention,
            "GroupedQueryAttention": self.new_attention,
            "kv_cache_bytes": self.kv_cache_bytes,
            "ReLUFeedForward": self.new_relu,
            "SwiGLU": self.new_swiglu,
            "swiglu_hidden_dim": self.swiglu_hidden_dim,
            "TransformerBlock": self.new_block,
            "Transformer": self.new_transformer,
        }
        return providers.get(target.partition(":")[2])
