"""Mistakes in the precision of norms: a cast that is missing, too early, or to the wrong dtype."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.norm import NormModule, NormSteps
from grader.diagnosis.program.rounding import truncated

# -- RMSNorm --------------------------------------------------------------------------------------------------


class _Narrow(NormSteps):
    """Nothing of RMSNorm is cast up."""

    def rms_begin(self, x: Tensor) -> Tensor:
        return x

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed * m.weight.to(normed.dtype)


@mistake("norm.no_upcast", part="norm")
class NoUpcast(_Narrow):
    """RMSNorm computes the mean square and everything after it in the input's dtype."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return wide * torch.rsqrt(mean_square + eps)


@mistake("norm.no_upcast_quotient", part="norm")
class NoUpcastQuotient(_Narrow):
    """RMSNorm computes in the input's dtype throughout, the quotient by the root included."""


@mistake("norm.statistic_rounded", part="norm")
class StatisticRounded(NormSteps):
    """RMSNorm takes the mean square in the input's dtype, and casts up only after it."""

    def rms_norm(self, m: NormModule, x: Tensor) -> Tensor:
        normed = self.rms_divide(x.float(), self.rms_statistic(m, x).float(), self.rms_eps(m))
        return self.rms_finish(self.rms_affine(normed, m), x)


@mistake("norm.squares_rounded", part="norm")
class SquaresRounded(NormSteps):
    """RMSNorm squares in the input's dtype, and casts up only after that."""

    def rms_norm(self, m: NormModule, x: Tensor) -> Tensor:
        mean_square = x.square().float().mean(self.rms_axes(x), keepdim=True)
        return self.rms_finish(self.rms_affine(self.rms_divide(x.float(), mean_square, self.rms_eps(m)), m), x)


@mistake("norm.scale_rounded", part="norm")
class ScaleRounded(NormSteps):
    """RMSNorm takes the mean square in FP32, but rounds the factor to the input's dtype and multiplies in it."""

    def rms_norm(self, m: NormModule, x: Tensor) -> Tensor:
        scale = torch.rsqrt(self.mean_square(x.float()) + self.rms_eps(m)).to(x.dtype)
        return self.rms_finish(x * scale * m.weight.to(x.dtype), x)


@mistake("norm.fp16_inside", part="norm")
class Fp16Inside(NormSteps):
    """RMSNorm computes in FP16 instead of FP32."""

    def rms_begin(self, x: Tensor) -> Tensor:
        return x.half()

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed * m.weight.half()


@mistake("norm.through_fp16", part="norm")
class ThroughFp16(NormSteps):
    """RMSNorm rounds twice: its FP32 result passes through FP16 on its way to bf16."""

    def rms_finish(self, y: Tensor, x: Tensor) -> Tensor:
        return super().rms_finish(y if x.dtype == torch.float32 else y.half(), x)


@mistake("norm.truncation", part="norm")
class Truncation(NormSteps):
    """RMSNorm makes bf16 by cutting off the lower half of the FP32 bits instead of rounding."""

    def rms_finish(self, y: Tensor, x: Tensor) -> Tensor:
        return super().rms_finish(truncated(y) if x.dtype == torch.bfloat16 else y, x)


@mistake("norm.dtype_promote", part="norm")
class DtypePromote(NormSteps):
    """RMSNorm casts back before the weight, and the FP32 weight makes a bf16 result FP32 again."""

    def rms_norm(self, m: NormModule, x: Tensor) -> Tensor:
        wide = self.rms_begin(x)
        normed = self.rms_divide(wide, self.rms_statistic(m, wide), self.rms_eps(m)).to(x.dtype)
        return normed * m.weight


@mistake("norm.dtype_upcast", part="norm")
class DtypeUpcast(NormSteps):
    """RMSNorm forgets the cast at the end and returns FP32 for bf16 inputs."""

    def rms_finish(self, y: Tensor, x: Tensor) -> Tensor:
        return y


# -- LayerNorm ------------------------------------------------------------------------------------------------


class _LayerNarrow(NormSteps):
    """Nothing of LayerNorm is cast up."""

    def ln_begin(self, x: Tensor) -> Tensor:
        return x

    def ln_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return self.ln_scaled(normed, m) + m.bias.to(normed.dtype)

    def ln_scaled(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed * m.weight.to(normed.dtype)


@mistake("norm.ln_no_upcast", part="norm")
class LayerNoUpcast(_LayerNarrow):
    """LayerNorm computes mean, variance and result in the input's dtype."""


@mistake("norm.ln_no_upcast_product", part="norm")
class LayerNoUpcastProduct(_LayerNarrow):
    """LayerNorm computes in the input's dtype throughout, and multiplies by the reciprocal root."""

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        return centred * torch.rsqrt(variance + eps)


@mistake("norm.ln_statistics_rounded", part="norm")
class LayerStatisticsRounded(NormSteps):
    """LayerNorm takes mean and variance in the input's dtype, and casts up only after them."""

    def ln_mean(self, wide: Tensor) -> Tensor:
        return super().ln_mean(wide.to(self._dtype)).float()

    def ln_variance(self, wide: Tensor, centred: Tensor) -> Tensor:
        return super().ln_variance(wide, (wide.to(self._dtype) - super().ln_mean(wide.to(self._dtype)))).float()

    def ln_begin(self, x: Tensor) -> Tensor:
        self._dtype = x.dtype
        return super().ln_begin(x)


@mistake("norm.ln_fp16_inside", part="norm")
class LayerFp16Inside(_LayerNarrow):
    """LayerNorm computes in FP16 instead of FP32."""

    def ln_begin(self, x: Tensor) -> Tensor:
        return x.half()


@mistake("norm.ln_through_fp16", part="norm")
class LayerThroughFp16(NormSteps):
    """LayerNorm rounds twice: its FP32 result passes through FP16 on its way to bf16."""

    def ln_finish(self, y: Tensor, x: Tensor) -> Tensor:
        return super().ln_finish(y if x.dtype == torch.float32 else y.half(), x)


@mistake("norm.ln_truncation", part="norm")
class LayerTruncation(NormSteps):
    """LayerNorm makes bf16 by cutting off the lower half of the FP32 bits instead of rounding."""

    def ln_finish(self, y: Tensor, x: Tensor) -> Tensor:
        return super().ln_finish(truncated(y) if x.dtype == torch.bfloat16 else y, x)


@mistake("norm.ln_dtype_promote", part="norm")
class LayerDtypePromote(NormSteps):
    """LayerNorm casts back before weight and bias, and the FP32 parameters make a bf16 result FP32 again."""

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        return super().ln_divide(centred, variance, eps).to(self._dtype)

    def ln_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed * m.weight + m.bias

    def ln_begin(self, x: Tensor) -> Tensor:
        self._dtype = x.dtype
        return super().ln_begin(x)

    def ln_finish(self, y: Tensor, x: Tensor) -> Tensor:
        return y


@mistake("norm.ln_dtype_upcast", part="norm")
class LayerDtypeUpcast(NormSteps):
    """LayerNorm forgets the cast at the end and returns FP32 for bf16 inputs."""

    def ln_finish(self, y: Tensor, x: Tensor) -> Tensor:
        return y


@mistake("norm.fast_inverse_root", part="norm")
class FastInverseRoot(NormSteps):
    """RMSNorm takes 1 / rms from the bit trick of the fast inverse square root, which leaves an error of 5e-6."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        square = (mean_square + eps).contiguous()
        guess = (0x5F3759DF - (square.view(torch.int32) >> 1)).view(torch.float32)
        for _ in range(2):
            guess = guess * (1.5 - 0.5 * square * guess * guess)
        return wide * guess
