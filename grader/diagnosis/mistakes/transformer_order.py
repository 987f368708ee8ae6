"""Mistakes in the stack's parts and their order: which blocks run on what, and where the last norm stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.block import BlockSteps, StackModule


@mistake("transformer.blocks_reversed", part="transformer")
class Reversed(BlockSteps):
    """Runs the blocks from last to first, each with its own cache."""

    def run_order(self, m: StackModule) -> Any:
        return list(super().run_order(m))[::-1]

    def stack_forward(self, m: StackModule, x: Tensor, positions: Any, caches: Any) -> Tensor:
        return super().stack_forward(m, x, positions, caches if caches is None else caches[::-1])


@mistake("transformer.blocks_shared", part="transformer")
class Shared(BlockSteps):
    """Repeats one block n times, so all layers share their parameters."""

    def stack_blocks(self, n_layers: int, new: Callable[[], nn.Module]) -> Any:
        return nn.ModuleList([new()] * n_layers)


@mistake("transformer.blocks_in_list", part="transformer")
class PlainList(BlockSteps):
    """Keeps the blocks in a plain Python list, which hides their parameters from the optimiser."""

    def stack_blocks(self, n_layers: int, new: Callable[[], nn.Module]) -> Any:
        return [new() for _ in range(n_layers)]


@mistake("transformer.one_layer_more", part="transformer")
class OneMore(BlockSteps):
    """Makes one block too many."""

    def stack_blocks(self, n_layers: int, new: Callable[[], nn.Module]) -> Any:
        return super().stack_blocks(n_layers + 1, new)


@mistake("transformer.first_block_repeated", part="transformer")
class FirstRepeated(BlockSteps):
    """Runs the first block n times instead of every block once."""

    def run_order(self, m: StackModule) -> Any:
        blocks = list(super().run_order(m))
        return blocks[:1] * len(blocks)


@mistake("transformer.last_block_skipped", part="transformer")
class LastSkipped(BlockSteps):
    """Does not run the last block."""

    def run_order(self, m: StackModule) -> Any:
        return list(super().run_order(m))[:-1]


@mistake("transformer.first_block_skipped", part="transformer")
class FirstSkipped(BlockSteps):
    """Loses what the first block returns: leaves it out, or hands the input to the next block again."""

    def run_order(self, m: StackModule) -> Any:
        return list(super().run_order(m))[1:]


@mistake("transformer.residual_around_blocks", part="transformer")
class ResidualAround(BlockSteps):
    """Adds a residual path around each block, which has its own already."""

    def run_block(self, block: Any, index: int, state: Tensor, x: Tensor, positions: Any, caches: Any) -> Tensor:
        return state + super().run_block(block, index, state, x, positions, caches)


@mistake("transformer.final_norm_absent", part="transformer")
class Absent(BlockSteps):
    """Ends with the last block: there is no final_norm at all."""

    def last_norm(self, dim: int, eps: float) -> nn.Module | None:
        return None

    def end_of_stack(self, m: StackModule, state: Tensor, x: Tensor) -> Tensor:
        return state


@mistake("transformer.final_norm_unused", part="transformer")
class Unused(BlockSteps):
    """Has final_norm and never applies it."""

    def end_of_stack(self, m: StackModule, state: Tensor, x: Tensor) -> Tensor:
        return state


@mistake("transformer.final_norm_first", part="transformer")
class NormFirst(BlockSteps):
    """Applies final_norm before the first block instead of after the last."""

    def begin_stack(self, m: StackModule, x: Tensor) -> Tensor:
        result: Tensor = m.final_norm(super().begin_stack(m, x))
        return result

    def end_of_stack(self, m: StackModule, state: Tensor, x: Tensor) -> Tensor:
        return state


@mistake("transformer.final_norm_twice", part="transformer")
class NormTwice(BlockSteps):
    """Applies final_norm before the first block and after the last."""

    def begin_stack(self, m: StackModule, x: Tensor) -> Tensor:
        result: Tensor = m.final_norm(super().begin_stack(m, x))
        return result


@mistake("transformer.final_norm_each_layer", part="transformer")
class NormEachLayer(BlockSteps):
    """Applies final_norm after every block instead of once at the end: it stands inside the loop."""

    def stack_forward(self, m: StackModule, x: Tensor, positions: Any, caches: Any) -> Tensor:
        state, at = self.begin_stack(m, x), self.positions_of_stack(x, positions, caches)
        for index, block in enumerate(self.run_order(m)):
            state = self.end_of_stack(m, self.run_block(block, index, state, x, at, caches), x)
        return state


@mistake("transformer.final_norm_added", part="transformer")
class NormAdded(BlockSteps):
    """Adds final_norm's result to what goes into it."""

    def end_of_stack(self, m: StackModule, state: Tensor, x: Tensor) -> Tensor:
        return state + super().end_of_stack(m, state, x)


@mistake("transformer.input_added", part="transformer")
class InputAdded(BlockSteps):
    """Adds the stack's input to the last block's result before final_norm."""

    def end_of_stack(self, m: StackModule, state: Tensor, x: Tensor) -> Tensor:
        return super().end_of_stack(m, state + x, x)


@mistake("transformer.final_layernorm", part="transformer")
class FinalLayernorm(BlockSteps):
    """Uses LayerNorm as final_norm, where RMSNorm belongs."""

    def last_norm(self, dim: int, eps: float) -> nn.Module | None:
        return self.new_layer_norm(dim, eps)


@mistake("transformer.last_token_only", part="transformer")
class LastTokenOnly(BlockSteps):
    """Returns the last token only."""

    def end_of_stack(self, m: StackModule, state: Tensor, x: Tensor) -> Tensor:
        return super().end_of_stack(m, state, x)[:, -1:]
