"""Section 4.2: pre-norm blocks, and the stack of them.

Each sublayer reads a normed copy of the stream and adds its answer to the stream itself. The stream is never normed on
its way up, so the Jacobian of a block is I + J_F J_Norm and gradients have a path past every norm.
"""

from collections.abc import Sequence

from torch import Tensor, nn

from reference.attention import GroupedQueryAttention
from reference.ffn import SwiGLU
from reference.kv_cache import KVCache
from reference.norm import RMSNorm


class TransformerBlock(nn.Module):
    """One block: u = x + attn(attn_norm(x)), then y = u + ffn(ffn_norm(u)); each sublayer has a norm of its own (4.2).

    Raises:
        ValueError: As `GroupedQueryAttention`, for sizes that do not fit.
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
        super().__init__()
        self.attn_norm = RMSNorm(dim, eps)
        self.attn = GroupedQueryAttention(dim, n_heads, n_kv_heads, base)
        self.ffn_norm = RMSNorm(dim, eps)
        self.ffn = SwiGLU(dim, hidden_dim)

    def forward(self, x: Tensor, positions: Tensor | None = None, cache: KVCache | None = None) -> Tensor:
        """Add attention, then the feed-forward layer, to the stream.

        Args:
            x: [B, T, D].
            positions: Integers, [T] or [B, T]; None continues at cache.length (0 without cache).
            cache: The history of this block's attention; gets the T new tokens.

        Returns:
            [B, T, D] in x's dtype.
        """
        u: Tensor = x + self.attn(self.attn_norm(x), positions, cache)
        y: Tensor = u + self.ffn(self.ffn_norm(u))
        return y


class Transformer(nn.Module):
    """A stack of blocks with one RMSNorm at its end; it starts from embeddings and ends before the vocabulary (4.2).

    Raises:
        ValueError: When n_layers is not positive, or as `GroupedQueryAttention`.
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
        super().__init__()
        if n_layers <= 0:
            raise ValueError(f"n_layers must be positive, got {n_layers}")
        self.blocks = nn.ModuleList(
            TransformerBlock(dim, n_heads, n_kv_heads, hidden_dim, base, eps) for _ in range(n_layers)
        )
        self.final_norm = RMSNorm(dim, eps)

    def forward(self, x: Tensor, positions: Tensor | None = None, caches: Sequence[KVCache] | None = None) -> Tensor:
        """Run x through all blocks and the last norm.

        Args:
            x: [B, T, D].
            positions: Integers, [T] or [B, T], the same for every block; None continues at the caches' length.
            caches: One cache a block, in the order of the blocks.

        Returns:
            [B, T, D] in x's dtype.

        Raises:
            ValueError: When there is not one cache a block.
        """
        if caches is not None and len(caches) != len(self.blocks):
            raise ValueError(f"caches must hold one KVCache a block, {len(self.blocks)} in all, got {len(caches)}")
        for layer, block in enumerate(self.blocks):
            x = block(x, positions, None if caches is None else caches[layer])
        y: Tensor = self.final_norm(x)
        return y
