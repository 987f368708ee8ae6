"""Mistakes in LayerNorm's formula: mean, variance, axes, weight and bias."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.norm import NormModule, NormSteps


@mistake("norm.ln_unbiased", part="norm")
class LayerUnbiased(NormSteps):
    """LayerNorm divides the variance by D - 1, as torch.var does by default, instead of D."""

    def ln_variance(self, wide: Tensor, centred: Tensor) -> Tensor:
        return centred.square().sum(-1, keepdim=True) / (centred.shape[-1] - 1)


@mistake("norm.ln_sum_not_mean", part="norm")
class LayerSumNotMean(NormSteps):
    """LayerNorm sums the squares and forgets to divide by D."""

    def ln_variance(self, wide: Tensor, centred: Tensor) -> Tensor:
        return centred.square().sum(self.ln_axes(wide), keepdim=True)


@mistake("norm.ln_not_centred", part="norm")
class LayerNotCentred(NormSteps):
    """LayerNorm subtracts no mean: it divides x by the standard deviation."""

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        return super().ln_divide(self._wide, variance, eps)

    def ln_mean(self, wide: Tensor) -> Tensor:
        self._wide = wide
        return super().ln_mean(wide)


@mistake("norm.ln_is_rms", part="norm")
class LayerIsRms(NormSteps):
    """LayerNorm subtracts no mean anywhere: it is RMSNorm with a bias."""

    def ln_mean(self, wide: Tensor) -> Tensor:
        return torch.zeros_like(super().ln_mean(wide))


@mistake("norm.ln_root_mean_square", part="norm")
class LayerRootMeanSquare(NormSteps):
    """LayerNorm subtracts the mean, and divides by the root mean square of x before the subtraction."""

    def ln_variance(self, wide: Tensor, centred: Tensor) -> Tensor:
        return wide.square().mean(self.ln_axes(wide), keepdim=True)


@mistake("norm.ln_mean_deviation", part="norm")
class LayerMeanDeviation(NormSteps):
    """LayerNorm divides by the mean of |x - mean| instead of the standard deviation."""

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        return centred / (centred.abs().mean(-1, keepdim=True) + eps)


@mistake("norm.ln_median", part="norm")
class LayerMedian(NormSteps):
    """LayerNorm subtracts the median instead of the mean."""

    def ln_mean(self, wide: Tensor) -> Tensor:
        return wide.median(-1, keepdim=True).values


@mistake("norm.ln_root_missing", part="norm")
class LayerRootMissing(NormSteps):
    """LayerNorm divides by the variance and forgets the root."""

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        return centred / (variance + eps)


@mistake("norm.ln_rsqrt_divide", part="norm")
class LayerDividesByReciprocal(NormSteps):
    """LayerNorm divides by the reciprocal root, which multiplies by the root."""

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        return centred / torch.rsqrt(variance + eps)


@mistake("norm.ln_undivided", part="norm")
class LayerUndivided(NormSteps):
    """LayerNorm only subtracts the mean and divides by nothing."""

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        return centred


@mistake("norm.ln_wrong_axis", part="norm")
class LayerOverTokens(NormSteps):
    """LayerNorm takes mean and variance over all tokens of a sequence together."""

    def ln_axes(self, wide: Tensor) -> tuple[int, ...]:
        return tuple(range(1, wide.dim())) if wide.dim() >= 3 else (-1,)


@mistake("norm.ln_wrong_axis_all", part="norm")
class LayerOverEverything(NormSteps):
    """LayerNorm takes one mean and one variance over the whole tensor."""

    def ln_axes(self, wide: Tensor) -> tuple[int, ...]:
        return tuple(range(wide.dim()))


@mistake("norm.ln_wrong_axis_tokens", part="norm")
class LayerAlongTokens(NormSteps):
    """LayerNorm takes mean and variance along the second to last axis, over tokens instead of features."""

    def ln_axes(self, wide: Tensor) -> tuple[int, ...]:
        return (-2,)


@mistake("norm.ln_wrong_axis_second", part="norm")
class LayerAlongSecondAxis(NormSteps):
    """LayerNorm takes mean and variance along axis 1, which is the features' only when x is [N, D]."""

    def ln_axes(self, wide: Tensor) -> tuple[int, ...]:
        return (1,)


@mistake("norm.ln_wrong_axis_batch", part="norm")
class LayerAlongBatch(NormSteps):
    """LayerNorm takes mean and variance along axis 0, over the batch."""

    def ln_axes(self, wide: Tensor) -> tuple[int, ...]:
        return (0,)


@mistake("norm.ln_no_keepdim", part="norm")
class LayerNoKeepdim(NormSteps):
    """LayerNorm loses the last axis of mean and variance (keepdim=True is missing), so they meet the wrong elements."""

    def ln_mean(self, wide: Tensor) -> Tensor:
        return wide.mean(-1)

    def ln_variance(self, wide: Tensor, centred: Tensor) -> Tensor:
        return wide.var(-1, unbiased=False)


@mistake("norm.ln_bias_missing", part="norm")
class LayerBiasMissing(NormSteps):
    """LayerNorm has a bias and never adds it."""

    def ln_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return self.ln_scaled(normed, m)


@mistake("norm.ln_weight_missing", part="norm")
class LayerWeightMissing(NormSteps):
    """LayerNorm has a weight and never multiplies by it."""

    def ln_scaled(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed


@mistake("norm.ln_affine_ignored", part="norm")
class LayerAffineIgnored(NormSteps):
    """LayerNorm has weight and bias and uses neither."""

    def ln_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed


@mistake("norm.ln_weight_plus_one", part="norm")
class LayerWeightPlusOne(NormSteps):
    """LayerNorm multiplies by 1 + weight instead of weight."""

    def add_norm_parameters(self, m: NormModule, dim: int) -> None:
        super().add_norm_parameters(m, dim)
        if m.kind == "layer":
            m.weight = nn.Parameter(torch.zeros(dim))

    def ln_scaled(self, normed: Tensor, m: NormModule) -> Tensor:
        return super().ln_scaled(normed, m) + normed


@mistake("norm.ln_bias_scaled", part="norm")
class LayerBiasScaled(NormSteps):
    """LayerNorm adds bias before it multiplies by weight, so that bias is scaled too."""

    def ln_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return self.ln_scaled(normed + m.bias.float(), m)


@mistake("norm.ln_parameters_swapped", part="norm")
class LayerParametersSwapped(NormSteps):
    """LayerNorm multiplies by bias and adds weight."""

    def ln_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed * m.bias.float() + m.weight.float()


@mistake("norm.ln_bias_subtracted", part="norm")
class LayerBiasSubtracted(NormSteps):
    """LayerNorm subtracts bias instead of adding it."""

    def ln_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return self.ln_scaled(normed, m) - m.bias.float()
