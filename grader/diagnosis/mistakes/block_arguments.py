"""Mistakes in what the block hands on: sizes, base, eps, positions, cache and dtype."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.block import BlockModule, BlockSteps

BASE, EPS = 10000.0, 1e-6


@mistake("block.base_dropped", part="block")
class BaseDropped(BlockSteps):
    """Does not hand its base on to the attention."""

    def base_handed_on(self, base: float) -> float:
        return BASE


@mistake("block.eps_dropped", part="block")
class EpsDropped(BlockSteps):
    """Does not hand its eps on to the two norms."""

    def eps_handed_on(self, name: str, eps: float) -> float:
        return EPS


@mistake("block.attn_eps_dropped", part="block")
class AttentionEpsDropped(BlockSteps):
    """Does not hand its eps on to attn_norm."""

    def eps_handed_on(self, name: str, eps: float) -> float:
        return EPS if name == "attn_norm" else super().eps_handed_on(name, eps)


@mistake("block.ffn_eps_dropped", part="block")
class FfnEpsDropped(BlockSteps):
    """Does not hand its eps on to ffn_norm."""

    def eps_handed_on(self, name: str, eps: float) -> float:
        return EPS if name == "ffn_norm" else super().eps_handed_on(name, eps)


@mistake("block.kv_heads_ignored", part="block")
class KvHeadsIgnored(BlockSteps):
    """Gives the attention as many key/value heads as query heads, whatever n_kv_heads says."""

    def block_attention(self, dim: int, n_heads: int, n_kv_heads: int, base: float) -> nn.Module:
        return super().block_attention(dim, n_heads, n_heads, base)


@mistake("block.heads_swapped", part="block")
class HeadsSwapped(BlockSteps):
    """Exchanges n_heads and n_kv_heads when it makes the attention."""

    def block_attention(self, dim: int, n_heads: int, n_kv_heads: int, base: float) -> nn.Module:
        return super().block_attention(dim, n_kv_heads, n_heads, base)


@mistake("block.hidden_four_dim", part="block")
class HiddenFourDim(BlockSteps):
    """Makes the feed-forward layer 4 D wide whatever hidden_dim it is given."""

    def block_ffn(self, dim: int, hidden_dim: int) -> nn.Module:
        return super().block_ffn(dim, 4 * dim)


@mistake("block.hidden_ignored", part="block")
class HiddenIgnored(BlockSteps):
    """Makes the feed-forward layer 8 D / 3 wide whatever hidden_dim it is given."""

    def block_ffn(self, dim: int, hidden_dim: int) -> nn.Module:
        return super().block_ffn(dim, self.swiglu_hidden_dim(dim))


@mistake("block.relu_ffn", part="block")
class ReluFfn(BlockSteps):
    """Uses the classic feed-forward layer where SwiGLU belongs."""

    def block_ffn(self, dim: int, hidden_dim: int) -> nn.Module:
        return self.new_relu(dim, hidden_dim)


@mistake("block.positions_dropped", part="block")
class PositionsDropped(BlockSteps):
    """Does not hand the positions on to the attention."""

    def for_attention(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> tuple[Any, Any]:
        return None, super().for_attention(m, x, positions, cache)[1]


@mistake("block.positions_restart", part="block")
class PositionsRestart(BlockSteps):
    """Counts positions from 0 itself when none are given, so decoding starts at 0 again in every call."""

    def for_attention(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> tuple[Any, Any]:
        positions, cache = super().for_attention(m, x, positions, cache)
        return torch.arange(x.shape[1]) if positions is None else positions, cache


@mistake("block.positions_always_counted", part="block")
class PositionsCounted(BlockSteps):
    """Counts positions from 0 itself, whatever positions and cache it is given."""

    def for_attention(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> tuple[Any, Any]:
        return torch.arange(x.shape[1]), super().for_attention(m, x, positions, cache)[1]


@mistake("block.positions_of_first_row", part="block")
class FirstRow(BlockSteps):
    """Hands on only the first row of positions [B, T]."""

    def for_attention(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> tuple[Any, Any]:
        positions, cache = super().for_attention(m, x, positions, cache)
        return positions if positions is None or positions.dim() == 1 else positions[0], cache


@mistake("block.cache_dropped", part="block")
class CacheDropped(BlockSteps):
    """Does not hand the cache on to the attention."""

    def for_attention(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> tuple[Any, Any]:
        return super().for_attention(m, x, positions, cache)[0], None


@mistake("block.cache_only_single", part="block")
class CacheOnlySingle(BlockSteps):
    """Hands the cache on only for a single token, so the prompt is never stored."""

    def for_attention(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> tuple[Any, Any]:
        positions, cache = super().for_attention(m, x, positions, cache)
        return positions, cache if x.shape[1] == 1 else None


@mistake("block.positions_cache_swapped", part="block")
class PositionsCacheSwapped(BlockSteps):
    """Exchanges positions and cache when it calls the attention."""

    def for_attention(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> tuple[Any, Any]:
        positions, cache = super().for_attention(m, x, positions, cache)
        return cache, positions


@mistake("block.own_cache", part="block")
class OwnCache(BlockSteps):
    """Makes a cache of its own when none is given and keeps it, so later calls see earlier sequences."""

    def for_attention(self, m: BlockModule, x: Tensor, positions: Any, cache: Any) -> tuple[Any, Any]:
        positions, cache = super().for_attention(m, x, positions, cache)
        return positions, m.__dict__["memory"].setdefault("cache", self.new_cache()) if cache is None else cache


@mistake("block.dtype_upcast", part="block")
class Upcast(BlockSteps):
    """Keeps the residual stream in FP32 and returns it so for bf16 inputs."""

    def attention_residual(self, m: BlockModule, x: Tensor) -> Tensor:
        return super().attention_residual(m, x).float()

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return super().ffn_input(m, u.to(x.dtype), x)


@mistake("block.stream_upcast", part="block")
class StreamUpcast(BlockSteps):
    """Keeps the residual stream and its norms in FP32, casts for the sublayers only, and returns FP32."""

    def attention_residual(self, m: BlockModule, x: Tensor) -> Tensor:
        return super().attention_residual(m, x).float()

    def attention_input(self, m: BlockModule, x: Tensor) -> Tensor:
        return super().attention_input(m, x.float()).to(x.dtype)

    def ffn_input(self, m: BlockModule, u: Tensor, x: Tensor) -> Tensor:
        return super().ffn_input(m, u, x).to(x.dtype)


@mistake("block.result_upcast", part="block")
class ResultUpcast(BlockSteps):
    """Casts the block's result to FP32, and returns it so for bf16 inputs."""

    def finish_block_forward(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_block_forward(y, x).float()


@mistake("block.mixed_dtypes", part="block")
class MixedDtypes(BlockSteps):
    """Casts x to FP32 and hands it so to sublayers with bf16 weights, which raise an error."""

    def begin_block(self, m: BlockModule, x: Tensor) -> Tensor:
        return super().begin_block(m, x).float()


@mistake("block.dtype_downcast", part="block")
class Downcast(BlockSteps):
    """Rounds the residual stream to bf16, for FP32 inputs too."""

    def attention_residual(self, m: BlockModule, x: Tensor) -> Tensor:
        return super().attention_residual(m, x).bfloat16().to(x.dtype)

    def ffn_residual(self, m: BlockModule, u: Tensor) -> Tensor:
        return super().ffn_residual(m, u).bfloat16().to(u.dtype)
