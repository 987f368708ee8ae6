"""Section 4.2 in steps."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from grader.diagnosis.program.attention import AttentionSteps
from grader.diagnosis.program.ffn import FeedForwardSteps
from grader.diagnosis.program.norm import NormSteps


class BlockModule(nn.Module):
    """Two norms, attention and SwiGLU; their order is the program's."""

    attn_norm: nn.Module
    attn: nn.Module
    ffn_norm: nn.Module
    ffn: nn.Module

    def __init__(self, program: BlockSteps, dim: int, n_heads: int, n_kv_heads: int, hidden_dim: int) -> None:
        super().__init__()
        self.__dict__["program"] = program

    def forward(self, x: Any, positions: Any = None, cache: Any = None) -> Any:
        """x ``[B, T, D]``."""
        program: BlockSteps = self.__dict__["program"]
        return program.block_forward(self, x, positions, cache)


class StackModule(nn.Module):
    """Blocks and a last norm; how they are run is the program's."""

    blocks: Any
    final_norm: nn.Module

    def __init__(self, program: BlockSteps) -> None:
        super().__init__()
        self.__dict__["program"] = program

    def forward(self, x: Any, positions: Any = None, caches: Any = None) -> Any:
        """x ``[B, T, D]``."""
        program: BlockSteps = self.__dict__["program"]
        return program.stack_forward(self, x, positions, caches)


class BlockSteps(FeedForwardSteps, AttentionSteps, NormSteps):
    """``m`` is the BlockModule or the StackModule."""

    def new_block(
        self,
        dim: int,
        n_heads: int,
        n_kv_heads: int,
        hidden_dim: int,
        base: float = 10000.0,
        eps: float = 1e-6,
    ) -> nn.Module:
        """Construct TransformerBlock."""
        m = BlockModule(self, dim, n_heads, n_kv_heads, hidden_dim)
        base, eps = self.handed_on(base, eps)
        m.attn_norm = self.block_norm(dim, eps)
        m.attn = self.new_attention(dim, n_heads, n_kv_heads, base)
        m.ffn_norm = self.block_norm(dim, eps)
        m.ffn = self.new_swiglu(dim, hidden_dim)
        self.finish_block(m)
        return m

    def handed_on(self, base: float, eps: float) -> tuple[float, float]:
        """base for the attention, eps for the norms."""
        return base, eps

    def block_norm(self, dim: int, eps: float) -> nn.Module:
        """The norm of a sublayer."""
        return self.new_rms_norm(dim, eps)

    def finish_block(self, m: BlockModule) -> None:
        """Last step of construction."""

    def block_forward(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> Tensor:
        """u = x + attn(attn_norm(x)), y = u + ffn(ffn_norm(u))."""
        u = self.add(x, self.attention_branch(m, x, positions, cache))
        return self.finish_block_forward(self.add(u, self.ffn_branch(m, u)), x)

    def add(self, x: Tensor, branch: Tensor) -> Tensor:
        """The residual path."""
        return x + branch

    def attention_branch(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> Tensor:
        """attn(attn_norm(x))."""
        result: Tensor = m.attn(m.attn_norm(x), positions, cache)
        return result

    def ffn_branch(self, m: BlockModule, u: Tensor) -> Tensor:
        """ffn(ffn_norm(u))."""
        result: Tensor = m.ffn(m.ffn_norm(u))
        return result

    def finish_block_forward(self, y: Tensor, x: Tensor) -> Tensor:
        """What the block returns."""
        return y

    def new_transformer(
        self,
        n_layers: int,
        dim: int,
        n_heads: int,
        n_kv_heads: int,
        hidden_dim: int,
        base: float = 10000.0,
        eps: float = 1e-6,
    ) -> nn.Module:
        """Construct Transformer."""
        m = StackModule(self)
        m.blocks = self.stack_blocks(n_layers, lambda: self.new_block(dim, n_heads, n_kv_heads, hidden_dim, base, eps))
        m.final_norm = self.last_norm(dim, eps)
        return m

    def stack_blocks(self, n_layers: int, new: Any) -> Any:
        """n_layers blocks of their own."""
        return nn.ModuleList([new() for _ in range(n_layers)])

    def last_norm(self, dim: int, eps: float) -> nn.Module:
        """final_norm."""
        return self.new_rms_norm(dim, eps)

    def stack_forward(self, m: StackModule, x: Tensor, positions: Any, caches: Any) -> Tensor:
        """All blocks in order, then the last norm."""
        for index, block in enumerate(self.run_order(m)):
            x = block(x, positions, self.cache_of_layer(caches, index))
        return self.end_of_stack(m, x)

    def run_order(self, m: StackModule) -> Any:
        """The blocks as they run."""
        return m.blocks

    def cache_of_layer(self, caches: Any, index: int) -> Any:
        """One cache a layer."""
        return None if caches is None else caches[index]

    def end_of_stack(self, m: StackModule, x: Tensor) -> Tensor:
        """final_norm(x)."""
        result: Tensor = m.final_norm(x)
        return result
