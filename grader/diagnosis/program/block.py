"""Section 4.2 in steps."""

from __future__ import annotations

from collections.abc import Callable
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

    def __init__(self, program: BlockSteps) -> None:
        super().__init__()
        self.__dict__["program"] = program
        self.__dict__["memory"] = {}  # for mistakes that remember something between calls

    def forward(self, x: Any, positions: Any = None, cache: Any = None) -> Any:
        """x ``[B, T, D]``."""
        program: BlockSteps = self.__dict__["program"]
        return program.block_forward(self, x, positions, cache)


class StackModule(nn.Module):
    """Blocks and a last norm; how they are run is the program's."""

    blocks: Any
    final_norm: Any

    def __init__(self, program: BlockSteps) -> None:
        super().__init__()
        self.__dict__["program"] = program

    def forward(self, x: Any, positions: Any = None, caches: Any = None) -> Any:
        """x ``[B, T, D]``."""
        program: BlockSteps = self.__dict__["program"]
        return program.stack_forward(self, x, positions, caches)


class BlockSteps(FeedForwardSteps, AttentionSteps, NormSteps):
    """``m`` is the BlockModule or the StackModule."""

    # -- the block's parts ------------------------------------------------------------------------------------

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
        m = BlockModule(self)
        m.attn_norm = self.block_norm("attn_norm", dim, self.eps_handed_on("attn_norm", eps))
        m.attn = self.block_attention(dim, n_heads, n_kv_heads, self.base_handed_on(base))
        m.ffn_norm = self.block_norm("ffn_norm", dim, self.eps_handed_on("ffn_norm", eps))
        m.ffn = self.block_ffn(dim, hidden_dim)
        self.finish_block(m)
        return m

    def base_handed_on(self, base: float) -> float:
        """Base for the attention."""
        return base

    def eps_handed_on(self, name: str, eps: float) -> float:
        """Eps for the norm of this name."""
        return eps

    def block_norm(self, name: str, dim: int, eps: float) -> nn.Module:
        """The norm of a sublayer, ``attn_norm`` or ``ffn_norm``."""
        return self.new_rms_norm(dim, eps)

    def block_attention(self, dim: int, n_heads: int, n_kv_heads: int, base: float) -> nn.Module:
        """The attention of the block."""
        return self.new_attention(dim, n_heads, n_kv_heads, base)

    def block_ffn(self, dim: int, hidden_dim: int) -> nn.Module:
        """The feed-forward layer of the block."""
        return self.new_swiglu(dim, hidden_dim)

    def finish_block(self, m: BlockModule) -> None:
        """Last step of construction."""

    # -- the block's forward pass -----------------------------------------------------------------------------

    def block_forward(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> Tensor:
        """u = x + attn(attn_norm(x)), y = u + ffn(ffn_norm(u))."""
        given = self.begin_block(m, x)
        u = self.attention_half(m, given, positions, cache)
        return self.finish_block_forward(self.ffn_half(m, u, given), x)

    def begin_block(self, m: BlockModule, x: Tensor) -> Tensor:
        """x as the block takes it."""
        return x

    def attention_half(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> Tensor:
        """x + attn(attn_norm(x))."""
        branch = m.attn(self.attention_input(m, x), *self.for_attention(m, x, positions, cache))
        return self.after_attention(
            m, self.add_attention(self.attention_residual(m, x), self.attention_result(m, branch))
        )

    def for_attention(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> tuple[Any, Any]:
        """Positions and cache that the attention gets."""
        return positions, cache

    def attention_input(self, m: BlockModule, x: Tensor) -> Tensor:
        """attn_norm(x)."""
        return self.normed(self.norm_before_attention(m), x)

    def norm_before_attention(self, m: BlockModule) -> nn.Module:
        """attn_norm."""
        return m.attn_norm

    def normed(self, norm: nn.Module, x: Tensor) -> Tensor:
        """norm(x)."""
        result: Tensor = norm(x)
        return result

    def attention_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        """The attention's output as it is added."""
        return branch

    def attention_residual(self, m: BlockModule, x: Tensor) -> Tensor:
        """What the residual path carries to the first sum: x itself."""
        return x

    def add_attention(self, x: Tensor, branch: Tensor) -> Tensor:
        """The first sum."""
        return x + branch

    def after_attention(self, m: BlockModule, u: Tensor) -> Tensor:
        """u as the second half takes it."""
        return u

    def ffn_half(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        """u + ffn(ffn_norm(u))."""
        branch = m.ffn(self.ffn_input(m, u, x))
        return self.after_ffn(m, self.add_ffn(self.ffn_residual(m, u), self.ffn_result(m, branch), x))

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        """ffn_norm(u)."""
        return self.normed(self.norm_before_ffn(m), u)

    def norm_before_ffn(self, m: BlockModule) -> nn.Module:
        """ffn_norm."""
        return m.ffn_norm

    def ffn_result(self, m: BlockModule, branch: Tensor) -> Tensor:
        """The feed-forward layer's output as it is added."""
        return branch

    def ffn_residual(self, m: BlockModule, u: Tensor) -> Tensor:
        """What the residual path carries to the second sum: u itself."""
        return u

    def add_ffn(self, u: Tensor, branch: Tensor, x: Tensor) -> Tensor:
        """The second sum."""
        return u + branch

    def after_ffn(self, m: BlockModule, y: Tensor) -> Tensor:
        """The second sum as the block ends with it."""
        return y

    def finish_block_forward(self, y: Tensor, x: Tensor) -> Tensor:
        """What the block returns."""
        return y

    # -- the stack --------------------------------------------------------------------------------------------

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
        sizes = self.sizes_for_blocks(dim, n_heads, n_kv_heads, hidden_dim)
        base_of_blocks, eps_of_blocks = self.base_for_blocks(base), self.eps_for_blocks(eps)
        m.blocks = self.stack_blocks(n_layers, lambda: self.new_block(*sizes, base_of_blocks, eps_of_blocks))
        m.final_norm = self.last_norm(dim, eps)
        return m

    def sizes_for_blocks(self, dim: int, n_heads: int, n_kv_heads: int, hidden_dim: int) -> tuple[int, int, int, int]:
        """Sizes that every block gets."""
        return dim, n_heads, n_kv_heads, hidden_dim

    def base_for_blocks(self, base: float) -> float:
        """Base that every block gets."""
        return base

    def eps_for_blocks(self, eps: float) -> float:
        """Eps that every block gets."""
        return eps

    def stack_blocks(self, n_layers: int, new: Callable[[], nn.Module]) -> Any:
        """n_layers blocks of their own."""
        return nn.ModuleList([new() for _ in range(n_layers)])

    def last_norm(self, dim: int, eps: float) -> nn.Module | None:
        """final_norm."""
        return self.new_rms_norm(dim, eps)

    def stack_forward(self, m: StackModule, x: Tensor, positions: Any, caches: Any) -> Tensor:
        """All blocks in order, then the last norm."""
        state = self.begin_stack(m, x)
        at = self.positions_of_stack(x, positions, caches)
        for index, block in enumerate(self.run_order(m)):
            state = self.run_block(block, index, state, x, at, caches)
        return self.end_of_stack(m, state, x)

    def begin_stack(self, m: StackModule, x: Tensor) -> Tensor:
        """x as the first block takes it."""
        return x

    def positions_of_stack(self, x: Tensor, positions: Any, caches: Any) -> Any:
        """Positions for all blocks; None leaves it to their attentions."""
        return positions

    def run_order(self, m: StackModule) -> Any:
        """The blocks as they run."""
        return m.blocks

    def run_block(self, block: Any, index: int, state: Tensor, x: Tensor, positions: Any, caches: Any) -> Tensor:
        """One block, on what the one before it returned."""
        result: Tensor = block(state, self.positions_of_layer(positions, index), self.cache_of_layer(caches, index))
        return result

    def positions_of_layer(self, positions: Any, index: int) -> Any:
        """Positions for one block."""
        return positions

    def cache_of_layer(self, caches: Any, index: int) -> Any:
        """One cache a layer."""
        return None if caches is None else caches[index]

    def end_of_stack(self, m: StackModule, state: Tensor, x: Tensor) -> Tensor:
        """final_norm of what the last block returned."""
        result: Tensor = m.final_norm(state)
        return result
