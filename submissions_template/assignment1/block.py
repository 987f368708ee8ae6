"""Section 4.2: pre-norm blocks, and the stack of them."""

from collections.abc import Sequence

from torch import Tensor, nn

from .kv_cache import KVCache


class TransformerBlock(nn.Module):
    """u = x + attn(attn_norm(x)), then y = u + ffn(ffn_norm(u)).

    Parts: `attn_norm` and `ffn_norm`, an RMSNorm each; `attn`, a GroupedQueryAttention; `ffn`, a SwiGLU.

    Args:
        dim: D.
        n_heads: Hq.
        n_kv_heads: Hkv.
        hidden_dim: F.
        base: The base of RoPE's frequencies.
        eps: For both norms.
    """

    def __init__(
        self,
        dim: int,
        n_heads: int,
        n_kv_heads: int,
        hidden_dim: int,
        base: float = 10000.0,
        eps: float = 1e-6,
    ) -> None:
        raise NotImplementedError("section 4.2: TransformerBlock")

    def forward(self, x: Tensor, positions: Tensor | None = None, cache: KVCache | None = None) -> Tensor:
        """Run one block.

        Args:
            x: [B, T, D], bf16 or FP32.
            positions: Integers, [T] or [B, T]; None continues from cache.length (from 0 without a cache).
            cache: The history of this block's attention.

        Returns:
            [B, T, D] in x's dtype.
        """
        raise NotImplementedError("section 4.2: TransformerBlock.forward")


class Transformer(nn.Module):
    """All blocks, then one RMSNorm. No embedding, no vocabulary.

    Parts: `blocks`, an nn.ModuleList of n_layers TransformerBlocks; `final_norm`, an RMSNorm.

    Args:
        n_layers: Blocks in the stack.
        dim: D.
        n_heads: Hq.
        n_kv_heads: Hkv.
        hidden_dim: F.
        base: The base of RoPE's frequencies.
        eps: For every norm.
    """

    def __init__(
        self,
        n_layers: int,
        dim: int,
        n_heads: int,
        n_kv_heads: int,
        hidden_dim: int,
        base: float = 10000.0,
        eps: float = 1e-6,
    ) -> None:
        raise NotImplementedError("section 4.2: Transformer")

    def forward(self, x: Tensor, positions: Tensor | None = None, caches: Sequence[KVCache] | None = None) -> Tensor:
        """Run the stack.

        Args:
            x: [B, T, D], bf16 or FP32.
            positions: Integers, [T] or [B, T], the same for every block; None continues from the caches' length.
            caches: One KVCache a block, in the order of the blocks.

        Returns:
            [B, T, D] in x's dtype.
        """
        raise NotImplementedError("section 4.2: Transformer.forward")
