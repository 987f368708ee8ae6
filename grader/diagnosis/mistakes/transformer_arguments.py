"""Mistakes in what the stack hands on: sizes, base, eps, positions, caches and dtype."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.block import BlockSteps, StackModule

BASE, EPS = 10000.0, 1e-6


@mistake("transformer.base_dropped", part="transformer")
class BaseDropped(BlockSteps):
    """Does not hand its base on to the blocks."""

    def base_for_blocks(self, base: float) -> float:
        return BASE


@mistake("transformer.eps_dropped", part="transformer")
class EpsDropped(BlockSteps):
    """Does not hand its eps on to the blocks; final_norm gets it."""

    def eps_for_blocks(self, eps: float) -> float:
        return EPS


@mistake("transformer.options_dropped", part="transformer")
class OptionsDropped(BlockSteps):
    """Hands neither base nor eps on to the blocks; final_norm gets its eps."""

    def base_for_blocks(self, base: float) -> float:
        return BASE

    def eps_for_blocks(self, eps: float) -> float:
        return EPS


@mistake("transformer.final_eps_dropped", part="transformer")
class FinalEpsDropped(BlockSteps):
    """Does not hand its eps on to final_norm."""

    def last_norm(self, dim: int, eps: float) -> nn.Module | None:
        return super().last_norm(dim, EPS)


@mistake("transformer.every_eps_dropped", part="transformer")
class EveryEpsDropped(BlockSteps):
    """Hands its eps on neither to the blocks nor to final_norm."""

    def eps_for_blocks(self, eps: float) -> float:
        return EPS

    def last_norm(self, dim: int, eps: float) -> nn.Module | None:
        return super().last_norm(dim, EPS)


@mistake("transformer.kv_heads_ignored", part="transformer")
class KvHeadsIgnored(BlockSteps):
    """Gives the blocks as many key/value heads as query heads, whatever n_kv_heads says."""

    def sizes_for_blocks(self, dim: int, n_heads: int, n_kv_heads: int, hidden_dim: int) -> tuple[int, int, int, int]:
        return super().sizes_for_blocks(dim, n_heads, n_heads, hidden_dim)


@mistake("transformer.hidden_ignored", part="transformer")
class HiddenIgnored(BlockSteps):
    """Makes the feed-forward layers 8 D / 3 wide whatever hidden_dim it is given."""

    def sizes_for_blocks(self, dim: int, n_heads: int, n_kv_heads: int, hidden_dim: int) -> tuple[int, int, int, int]:
        return super().sizes_for_blocks(dim, n_heads, n_kv_heads, self.swiglu_hidden_dim(dim))


@mistake("transformer.hidden_four_dim", part="transformer")
class HiddenFourDim(BlockSteps):
    """Makes the feed-forward layers 4 D wide whatever hidden_dim it is given."""

    def sizes_for_blocks(self, dim: int, n_heads: int, n_kv_heads: int, hidden_dim: int) -> tuple[int, int, int, int]:
        return super().sizes_for_blocks(dim, n_heads, n_kv_heads, 4 * dim)


@mistake("transformer.positions_dropped", part="transformer")
class PositionsDropped(BlockSteps):
    """Does not hand the positions on to the blocks."""

    def positions_of_layer(self, positions: Any, index: int) -> Any:
        return None


@mistake("transformer.positions_first_layer", part="transformer")
class FirstLayerPositions(BlockSteps):
    """Hands the positions on to the first block only."""

    def positions_of_layer(self, positions: Any, index: int) -> Any:
        return super().positions_of_layer(positions, index) if index == 0 else None


@mistake("transformer.positions_restart", part="transformer")
class PositionsRestart(BlockSteps):
    """Counts positions from 0 itself when none are given, so decoding starts at 0 again in every call."""

    def positions_of_stack(self, x: Tensor, positions: Any, caches: Any) -> Any:
        return torch.arange(x.shape[1]) if positions is None else positions


@mistake("transformer.positions_always_counted", part="transformer")
class PositionsCounted(BlockSteps):
    """Counts positions from 0 itself, whatever positions and caches it is given."""

    def positions_of_stack(self, x: Tensor, positions: Any, caches: Any) -> Any:
        return torch.arange(x.shape[1])


@mistake("transformer.positions_from_one", part="transformer")
class PositionsFromOne(BlockSteps):
    """Counts decoding positions one too far, from the history's length + 1."""

    def positions_of_stack(self, x: Tensor, positions: Any, caches: Any) -> Any:
        if positions is not None or not caches or not caches[0].length:
            return super().positions_of_stack(x, positions, caches)
        return torch.arange(x.shape[1]) + caches[0].length + 1


@mistake("transformer.positions_after_append", part="transformer")
class AfterAppend(BlockSteps):
    """Takes the positions of later layers from the first cache, which already holds the new tokens by then."""

    def run_block(self, block: Any, index: int, state: Tensor, x: Tensor, positions: Any, caches: Any) -> Tensor:
        if positions is None and caches:
            positions = torch.arange(x.shape[1]) + caches[0].length
        return super().run_block(block, index, state, x, positions, caches)


@mistake("transformer.caches_dropped", part="transformer")
class CachesDropped(BlockSteps):
    """Does not hand the caches on to the blocks."""

    def cache_of_layer(self, caches: Any, index: int) -> Any:
        return None


@mistake("transformer.one_cache", part="transformer")
class OneCache(BlockSteps):
    """Gives every layer the same cache."""

    def cache_of_layer(self, caches: Any, index: int) -> Any:
        return super().cache_of_layer(caches, 0)


@mistake("transformer.cache_of_first_layer", part="transformer")
class FirstLayerCache(BlockSteps):
    """Hands a cache to the first layer only."""

    def cache_of_layer(self, caches: Any, index: int) -> Any:
        return super().cache_of_layer(caches, index) if index == 0 else None


@mistake("transformer.caches_not_for_first_layer", part="transformer")
class NotFirstLayerCache(BlockSteps):
    """Hands no cache to the first layer."""

    def cache_of_layer(self, caches: Any, index: int) -> Any:
        return super().cache_of_layer(caches, index) if index else None


@mistake("transformer.cache_list_handed_on", part="transformer")
class ListHandedOn(BlockSteps):
    """Hands the whole list of caches to every block."""

    def cache_of_layer(self, caches: Any, index: int) -> Any:
        return caches


@mistake("transformer.caches_only_single", part="transformer")
class OnlySingle(BlockSteps):
    """Hands the caches on only for a single token, so the prompt is never stored."""

    def run_block(self, block: Any, index: int, state: Tensor, x: Tensor, positions: Any, caches: Any) -> Tensor:
        return super().run_block(block, index, state, x, positions, caches if x.shape[1] == 1 else None)


@mistake("transformer.dtype_upcast", part="transformer")
class Upcast(BlockSteps):
    """Casts to FP32 for final_norm, and returns FP32 for bf16 inputs."""

    def end_of_stack(self, m: StackModule, state: Tensor, x: Tensor) -> Tensor:
        return super().end_of_stack(m, state.float(), x)


@mistake("transformer.result_upcast", part="transformer")
class ResultUpcast(BlockSteps):
    """Casts what final_norm returns to FP32, and returns it so for bf16 inputs."""

    def end_of_stack(self, m: StackModule, state: Tensor, x: Tensor) -> Tensor:
        return super().end_of_stack(m, state, x).float()


@mistake("transformer.mixed_dtypes", part="transformer")
class MixedDtypes(BlockSteps):
    """Casts x to FP32 and hands it so to blocks with bf16 weights, which raise an error."""

    def begin_stack(self, m: StackModule, x: Tensor) -> Tensor:
        return super().begin_stack(m, x).float()
