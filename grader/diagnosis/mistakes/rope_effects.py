"""Mistakes around RoPE's arithmetic: errors that are not raised, the caller's tensor, its strides, gradients."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.rope import RopeSteps

# -- what must be refused -------------------------------------------------------------------------------------


@mistake("rope.odd_dim_accepted", part="rope")
class OddAccepted(RopeSteps):
    """Never looks at the head width, so an odd one gives frequencies instead of a ValueError."""

    def check_head_dim(self, head_dim: int) -> None:
        pass


@mistake("rope.odd_frequencies_accepted", part="rope")
class OddFrequenciesAccepted(RopeSteps):
    """rope_frequencies never looks at the head width; only apply_rope refuses an odd one."""

    def check_head_dim(self, head_dim: int) -> None:
        pass

    def check_rope(self, x: Tensor, positions: Tensor) -> None:
        if x.shape[-1] % 2:
            raise ValueError("odd")
        super().check_rope(x, positions)


@mistake("rope.zero_dim_accepted", part="rope")
class ZeroAccepted(RopeSteps):
    """Refuses an odd head width, but not 0 or a negative one."""

    def check_head_dim(self, head_dim: int) -> None:
        if head_dim % 2:
            raise ValueError("odd")


@mistake("rope.negative_dim_accepted", part="rope")
class NegativeAccepted(RopeSteps):
    """Refuses an odd head width and 0, but not a negative one."""

    def check_head_dim(self, head_dim: int) -> None:
        if head_dim >= 0:
            super().check_head_dim(head_dim)


@mistake("rope.head_dim_asserted", part="rope")
class HeadDimAsserted(RopeSteps):
    """Refuses an odd head width with assert (an AssertionError) instead of a ValueError."""

    def check_head_dim(self, head_dim: int) -> None:
        if head_dim <= 0 or head_dim % 2:
            raise AssertionError


@mistake("rope.positions_unchecked", part="rope")
class PositionsUnchecked(RopeSteps):
    """Does not compare positions with x, so one position is silently used for every token."""

    def check_rope(self, x: Tensor, positions: Tensor) -> None:
        pass


@mistake("rope.rows_unchecked", part="rope")
class RowsUnchecked(RopeSteps):
    """Compares the number of positions with T, but not their rows with B."""

    def check_rope(self, x: Tensor, positions: Tensor) -> None:
        if positions.shape[-1] != x.shape[1]:
            raise ValueError("length")


@mistake("rope.short_positions_accepted", part="rope")
class ShortPositionsAccepted(RopeSteps):
    """Refuses too many positions, but lets a single one broadcast to every token."""

    def check_rope(self, x: Tensor, positions: Tensor) -> None:
        if positions.shape[-1] != 1:
            super().check_rope(x, positions)


@mistake("rope.long_positions_cut", part="rope")
class LongPositionsCut(RopeSteps):
    """Uses the first T of too many positions instead of refusing them."""

    def check_rope(self, x: Tensor, positions: Tensor) -> None:
        super().check_rope(x, positions[..., : x.shape[1]])

    def token_positions(self, x: Tensor, positions: Tensor) -> Tensor:
        return super().token_positions(x, positions[..., : x.shape[1]])


@mistake("rope.positions_asserted", part="rope")
class PositionsAsserted(RopeSteps):
    """Refuses positions of a wrong shape with assert (an AssertionError) instead of a ValueError."""

    def check_rope(self, x: Tensor, positions: Tensor) -> None:
        try:
            super().check_rope(x, positions)
        except ValueError as error:
            raise AssertionError from error


# -- the caller's tensor --------------------------------------------------------------------------------------


@mistake("rope.inplace_input", part="rope")
class InplaceInput(RopeSteps):
    """Writes the rotated pairs into its input; of an FP32 input, float() returns the very same tensor."""

    def finish_rope(self, y: Tensor, x: Tensor) -> Tensor:
        return x.copy_(y) if x.dtype == torch.float32 else super().finish_rope(y, x)


@mistake("rope.input_view", part="rope")
class InputView(RopeSteps):
    """Flattens the input with view, which raises an error for a transposed or sliced input."""

    def begin_rope(self, x: Tensor) -> Tensor:
        return super().begin_rope(x.view(x.shape[0] * x.shape[1], -1).view(x.shape))


@mistake("rope.complex_without_float", part="rope")
class ComplexWithoutFloat(RopeSteps):
    """Views x as complex numbers without casting it to FP32 first, which torch refuses for bf16."""

    def begin_rope(self, x: Tensor) -> Tensor:
        if x.dtype == torch.bfloat16:
            raise RuntimeError("view_as_complex is only supported for half, float and double tensors")
        return super().begin_rope(x)


# -- gradients ------------------------------------------------------------------------------------------------


@mistake("rope.no_grad", part="rope")
class NoGrad(RopeSteps):
    """Rotates without gradient (no_grad, detach, .data), so none reaches Q and K."""

    def apply_rope(self, x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        return super().apply_rope(x, positions, base).detach()


@mistake("rope.half_detached", part="rope")
class HalfDetached(RopeSteps):
    """Detaches the exchanged components, so the gradient misses the products with sin."""

    def turn(self, a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return a * cos - b.detach() * sin, a.detach() * sin + b * cos


@mistake("rope.numpy", part="rope")
class ThroughNumpy(RopeSteps):
    """Rotates with numpy, which takes neither a tensor that needs a gradient nor bf16."""

    def begin_rope(self, x: Tensor) -> Tensor:
        if x.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if x.dtype == torch.bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return super().begin_rope(x)
