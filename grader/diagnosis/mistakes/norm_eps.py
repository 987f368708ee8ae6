"""Mistakes with eps: its default, its place, and whether it is used at all."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.norm import NormModule, NormSteps

# -- RMSNorm --------------------------------------------------------------------------------------------------


@mistake("norm.eps_default", part="norm")
class EpsDefaultMachine(NormSteps):
    """RMSNorm takes the FP32 machine epsilon for the default eps, as nn.RMSNorm does, instead of 1e-6."""

    def new_rms_norm(self, dim: int, eps: float = torch.finfo(torch.float32).eps) -> nn.Module:
        return super().new_rms_norm(dim, eps)


@mistake("norm.eps_default_layernorm", part="norm")
class EpsDefaultLayerNorm(NormSteps):
    """RMSNorm has LayerNorm's default eps, 1e-5, instead of 1e-6."""

    def new_rms_norm(self, dim: int, eps: float = 1e-5) -> nn.Module:
        return super().new_rms_norm(dim, eps)


@mistake("norm.eps_default_1e8", part="norm")
class EpsDefaultSmall(NormSteps):
    """RMSNorm's default eps is 1e-8 instead of 1e-6."""

    def new_rms_norm(self, dim: int, eps: float = 1e-8) -> nn.Module:
        return super().new_rms_norm(dim, eps)


@mistake("norm.eps_default_tiny", part="norm")
class EpsDefaultTiny(NormSteps):
    """RMSNorm's default eps is 1e-12 or less instead of 1e-6."""

    def new_rms_norm(self, dim: int, eps: float = 1e-12) -> nn.Module:
        return super().new_rms_norm(dim, eps)


@mistake("norm.eps_ignored", part="norm")
class EpsIgnored(NormSteps):
    """RMSNorm uses 1e-5 whatever eps it is given."""

    def rms_eps(self, m: NormModule) -> float:
        return 1e-5


@mistake("norm.eps_fixed", part="norm")
class EpsFixed(NormSteps):
    """RMSNorm uses its default of 1e-6 whatever eps it is given."""

    def rms_eps(self, m: NormModule) -> float:
        return 1e-6


@mistake("norm.eps_fixed_1e8", part="norm")
class EpsFixedSmall(NormSteps):
    """RMSNorm uses 1e-8 whatever eps it is given."""

    def rms_eps(self, m: NormModule) -> float:
        return 1e-8


@mistake("norm.eps_missing", part="norm")
class EpsMissing(NormSteps):
    """RMSNorm adds no eps, so a row of zeros becomes NaN."""

    def rms_eps(self, m: NormModule) -> float:
        return 0.0


@mistake("norm.eps_outside", part="norm")
class EpsOutside(NormSteps):
    """RMSNorm adds eps to the root instead of to the mean square under it."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return wide / (torch.sqrt(mean_square) + eps)


@mistake("norm.eps_after_reciprocal", part="norm")
class EpsAfterReciprocal(NormSteps):
    """RMSNorm adds eps to the reciprocal root: rsqrt(mean square) + eps."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return wide * (torch.rsqrt(mean_square) + eps)


@mistake("norm.eps_in_sum", part="norm")
class EpsInSum(NormSteps):
    """RMSNorm adds eps to the sum of squares before it divides by D, so only eps / D counts."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return super().rms_divide(wide, mean_square, eps / wide.shape[-1])


@mistake("norm.eps_as_floor", part="norm")
class EpsAsFloor(NormSteps):
    """RMSNorm takes eps as the smallest mean square (a clamp) instead of adding it."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return super().rms_divide(wide, mean_square.clamp(min=eps), 0.0)


# -- LayerNorm ------------------------------------------------------------------------------------------------


@mistake("norm.ln_eps_default", part="norm")
class LayerEpsDefault(NormSteps):
    """LayerNorm has RMSNorm's default eps, 1e-6, instead of 1e-5."""

    def new_layer_norm(self, dim: int, eps: float = 1e-6) -> nn.Module:
        return super().new_layer_norm(dim, eps)


@mistake("norm.ln_eps_default_1e8", part="norm")
class LayerEpsDefaultSmall(NormSteps):
    """LayerNorm's default eps is 1e-8 instead of 1e-5."""

    def new_layer_norm(self, dim: int, eps: float = 1e-8) -> nn.Module:
        return super().new_layer_norm(dim, eps)


@mistake("norm.ln_eps_default_1e3", part="norm")
class LayerEpsDefaultLarge(NormSteps):
    """LayerNorm's default eps is 1e-3 instead of 1e-5."""

    def new_layer_norm(self, dim: int, eps: float = 1e-3) -> nn.Module:
        return super().new_layer_norm(dim, eps)


@mistake("norm.ln_eps_missing", part="norm")
class LayerEpsMissing(NormSteps):
    """LayerNorm adds no eps to speak of (none, or 1e-12), so a row of equal features becomes NaN or noise."""

    def ln_eps(self, m: NormModule) -> float:
        return 0.0


@mistake("norm.ln_eps_ignored", part="norm")
class LayerEpsIgnored(NormSteps):
    """LayerNorm uses its default of 1e-5 whatever eps it is given."""

    def ln_eps(self, m: NormModule) -> float:
        return 1e-5


@mistake("norm.ln_eps_outside", part="norm")
class LayerEpsOutside(NormSteps):
    """LayerNorm adds eps to the standard deviation instead of to the variance under the root."""

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        return centred / (torch.sqrt(variance) + eps)


@mistake("norm.ln_eps_as_floor", part="norm")
class LayerEpsAsFloor(NormSteps):
    """LayerNorm takes eps as the smallest variance (a clamp) instead of adding it."""

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        return super().ln_divide(centred, variance.clamp(min=eps), 0.0)
