"""Mistakes in RMSNorm's formula: what is averaged, over which axes, and what divides or multiplies what."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.norm import NormModule, NormSteps


@mistake("norm.centered", part="norm")
class Centred(NormSteps):
    """RMSNorm divides by the standard deviation instead of the root mean square."""

    def mean_square(self, wide: Tensor) -> Tensor:
        return wide.var(self.rms_axes(wide), keepdim=True, unbiased=False)


@mistake("norm.mean_subtracted", part="norm")
class MeanSubtracted(NormSteps):
    """RMSNorm subtracts the mean first, as LayerNorm does."""

    def rms_begin(self, x: Tensor) -> Tensor:
        wide = super().rms_begin(x)
        return wide - wide.mean(-1, keepdim=True)


@mistake("norm.sum_not_mean", part="norm")
class SumNotMean(NormSteps):
    """RMSNorm sums the squares and forgets to divide by D."""

    def mean_square(self, wide: Tensor) -> Tensor:
        return wide.square().sum(self.rms_axes(wide), keepdim=True)


@mistake("norm.unbiased", part="norm")
class Unbiased(NormSteps):
    """RMSNorm divides the sum of the squares by D - 1 instead of D."""

    def mean_square(self, wide: Tensor) -> Tensor:
        return wide.square().sum(-1, keepdim=True) / (wide.shape[-1] - 1)


@mistake("norm.mean_of_absolute", part="norm")
class MeanOfAbsolute(NormSteps):
    """RMSNorm divides by the mean of |x| instead of the root of the mean of x^2."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return wide / (wide.abs().mean(self.rms_axes(wide), keepdim=True) + eps)


@mistake("norm.square_of_mean", part="norm")
class SquareOfMean(NormSteps):
    """RMSNorm squares the mean instead of averaging the squares."""

    def mean_square(self, wide: Tensor) -> Tensor:
        return wide.mean(self.rms_axes(wide), keepdim=True).square()


@mistake("norm.largest", part="norm")
class Largest(NormSteps):
    """RMSNorm divides by the largest |x| instead of the root mean square."""

    def mean_square(self, wide: Tensor) -> Tensor:
        return wide.abs().amax(-1, keepdim=True).square()


@mistake("norm.root_missing", part="norm")
class RootMissing(NormSteps):
    """RMSNorm divides by the mean square and forgets the root."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return wide / (mean_square + eps)


@mistake("norm.rsqrt_divide", part="norm")
class DividesByReciprocal(NormSteps):
    """RMSNorm divides by the reciprocal root, which multiplies by the root."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return wide / torch.rsqrt(mean_square + eps)


@mistake("norm.wrong_axis", part="norm")
class OverTokens(NormSteps):
    """RMSNorm takes the mean square over all tokens of a sequence together."""

    def rms_axes(self, wide: Tensor) -> tuple[int, ...]:
        return (-2, -1) if wide.dim() >= 3 else (-1,)


@mistake("norm.wrong_axis_all", part="norm")
class OverEverything(NormSteps):
    """RMSNorm takes one mean square over the whole tensor."""

    def rms_axes(self, wide: Tensor) -> tuple[int, ...]:
        return tuple(range(wide.dim()))


@mistake("norm.wrong_axis_tokens", part="norm")
class AlongTokens(NormSteps):
    """RMSNorm takes the mean square along the second to last axis, over tokens instead of features."""

    def rms_axes(self, wide: Tensor) -> tuple[int, ...]:
        return (-2,)


@mistake("norm.wrong_axis_second", part="norm")
class AlongSecondAxis(NormSteps):
    """RMSNorm takes the mean square along axis 1, which is the features' only when x is [N, D]."""

    def rms_axes(self, wide: Tensor) -> tuple[int, ...]:
        return (1,)


@mistake("norm.wrong_axis_batch", part="norm")
class AlongBatch(NormSteps):
    """RMSNorm takes the mean square along axis 0, over the batch."""

    def rms_axes(self, wide: Tensor) -> tuple[int, ...]:
        return (0,)


@mistake("norm.no_keepdim", part="norm")
class NoKeepdim(NormSteps):
    """RMSNorm loses the last axis of the mean square (keepdim=True is missing), so it meets the wrong elements of x."""

    def mean_square(self, wide: Tensor) -> Tensor:
        return wide.square().mean(-1)


@mistake("norm.affine_ignored", part="norm")
class WeightIgnored(NormSteps):
    """RMSNorm has a weight and never multiplies by it."""

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed


@mistake("norm.weight_plus_one", part="norm")
class WeightPlusOne(NormSteps):
    """RMSNorm multiplies by 1 + weight instead of weight."""

    def add_norm_parameters(self, m: NormModule, dim: int) -> None:
        super().add_norm_parameters(m, dim)
        if m.kind == "rms":
            m.weight = nn.Parameter(torch.zeros(dim))

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return super().rms_affine(normed, m) + normed


@mistake("norm.weight_added", part="norm")
class WeightAdded(NormSteps):
    """RMSNorm adds weight instead of multiplying by it."""

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed + m.weight.float()


@mistake("norm.weight_before", part="norm")
class WeightBefore(NormSteps):
    """RMSNorm multiplies x by weight before it takes the mean square."""

    def rms_norm(self, m: NormModule, x: Tensor) -> Tensor:
        wide = self.rms_begin(x) * m.weight.float()
        return self.rms_finish(self.rms_divide(wide, self.rms_statistic(m, wide), self.rms_eps(m)), x)


@mistake("norm.weight_twice", part="norm")
class WeightTwice(NormSteps):
    """RMSNorm multiplies by weight twice."""

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return super().rms_affine(super().rms_affine(normed, m), m)
