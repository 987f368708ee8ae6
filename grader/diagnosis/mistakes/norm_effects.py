"""Mistakes around the norms' arithmetic: gradients, parameters, the caller's tensor, its strides, and memory."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.norm import NormModule, NormSteps

# -- gradients ------------------------------------------------------------------------------------------------


@mistake("norm.detached_rms", part="norm")
class DetachedRms(NormSteps):
    """RMSNorm computes the root mean square without gradient, so its part of the gradient is missing."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return super().rms_divide(wide, mean_square.detach(), eps)


@mistake("norm.no_grad", part="norm")
class NoGrad(NormSteps):
    """RMSNorm computes under no_grad, so no gradient reaches x and weight."""

    def rms_norm(self, m: NormModule, x: Tensor) -> Tensor:
        return super().rms_norm(m, x).detach()


@mistake("norm.detached_input", part="norm")
class DetachedInput(NormSteps):
    """RMSNorm detaches x, so the gradient stops at weight."""

    def rms_begin(self, x: Tensor) -> Tensor:
        return super().rms_begin(x).detach()


@mistake("norm.detached_normed", part="norm")
class DetachedWeight(NormSteps):
    """RMSNorm multiplies by weight.data, so weight gets no gradient."""

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return normed * m.weight.detach().float()


@mistake("norm.ln_detached_statistics", part="norm")
class LayerDetachedStatistics(NormSteps):
    """LayerNorm computes mean and variance without gradient, so their part of the gradient is missing."""

    def ln_mean(self, wide: Tensor) -> Tensor:
        return super().ln_mean(wide).detach()

    def ln_variance(self, wide: Tensor, centred: Tensor) -> Tensor:
        return super().ln_variance(wide, centred).detach()


@mistake("norm.ln_detached_variance", part="norm")
class LayerDetachedVariance(NormSteps):
    """LayerNorm computes the variance without gradient, so its part of the gradient is missing."""

    def ln_variance(self, wide: Tensor, centred: Tensor) -> Tensor:
        return super().ln_variance(wide, centred).detach()


@mistake("norm.ln_detached_mean", part="norm")
class LayerDetachedMean(NormSteps):
    """LayerNorm computes the mean without gradient, so its part of the gradient is missing."""

    def ln_mean(self, wide: Tensor) -> Tensor:
        return super().ln_mean(wide).detach()


@mistake("norm.ln_no_grad", part="norm")
class LayerNoGrad(NormSteps):
    """LayerNorm computes under no_grad, so no gradient reaches x, weight and bias."""

    def layer_norm(self, m: NormModule, x: Tensor) -> Tensor:
        return super().layer_norm(m, x).detach()


@mistake("norm.ln_detached_input", part="norm")
class LayerDetachedInput(NormSteps):
    """LayerNorm detaches x, so the gradient stops at weight and bias."""

    def ln_begin(self, x: Tensor) -> Tensor:
        return super().ln_begin(x).detach()


# -- the caller's tensor, its strides, and memory -------------------------------------------------------------


@mistake("norm.inplace_input", part="norm")
class InplaceInput(NormSteps):
    """RMSNorm scales in place, which changes an FP32 input because float() returns the very same tensor."""

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        return wide.copy_(super().rms_divide(wide, mean_square, eps))


@mistake("norm.inplace_result", part="norm")
class InplaceResult(NormSteps):
    """RMSNorm writes its result, weight included, into its FP32 input."""

    def rms_finish(self, y: Tensor, x: Tensor) -> Tensor:
        return x.copy_(y) if x.dtype == torch.float32 else super().rms_finish(y, x)


@mistake("norm.ln_inplace_input", part="norm")
class LayerInplaceInput(NormSteps):
    """LayerNorm subtracts the mean in place, which changes an FP32 input, because float() returns that very tensor."""

    def ln_centre(self, wide: Tensor, mean: Tensor) -> Tensor:
        return wide.sub_(mean)


@mistake("norm.input_view", part="norm")
class InputView(NormSteps):
    """RMSNorm flattens its input with view, which raises an error for a transposed or sliced one."""

    def rms_norm(self, m: NormModule, x: Tensor) -> Tensor:
        return super().rms_norm(m, x.view(-1, x.shape[-1])).view(x.shape)


@mistake("norm.ln_input_view", part="norm")
class LayerInputView(NormSteps):
    """LayerNorm flattens its input with view, which raises an error for a transposed or sliced one."""

    def layer_norm(self, m: NormModule, x: Tensor) -> Tensor:
        return super().layer_norm(m, x.view(-1, x.shape[-1])).view(x.shape)


@mistake("norm.remembers_rms", part="norm")
class RemembersRms(NormSteps):
    """RMSNorm computes the root mean square for the first input of a shape and reuses it for all later ones."""

    def rms_statistic(self, m: NormModule, wide: Tensor) -> Tensor:
        if wide.shape not in m.memory:
            m.memory[wide.shape] = super().rms_statistic(m, wide)
        kept: Tensor = m.memory[wide.shape]
        return kept


@mistake("norm.ln_remembers_statistics", part="norm")
class LayerRemembersStatistics(NormSteps):
    """LayerNorm computes mean and variance for the first input of a shape and reuses them for all later ones."""

    def layer_norm(self, m: NormModule, x: Tensor) -> Tensor:
        self._memory = m.memory
        return super().layer_norm(m, x)

    def ln_mean(self, wide: Tensor) -> Tensor:
        return self._kept(("mean", wide.shape), super().ln_mean(wide))

    def ln_variance(self, wide: Tensor, centred: Tensor) -> Tensor:
        return self._kept(("variance", wide.shape), super().ln_variance(wide, centred))

    def _kept(self, key: object, new: Tensor) -> Tensor:
        kept: Tensor = self._memory.setdefault(key, new)
        return kept


# -- parameters -----------------------------------------------------------------------------------------------


@mistake("norm.rms_bias", part="norm")
class RmsBias(NormSteps):
    """RMSNorm has a trained bias like LayerNorm's."""

    def add_norm_parameters(self, m: NormModule, dim: int) -> None:
        super().add_norm_parameters(m, dim)
        if m.kind == "rms":
            m.bias = nn.Parameter(torch.zeros(dim))

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        return super().rms_affine(normed, m) + m.bias.float()


@mistake("norm.eps_trained", part="norm")
class EpsTrained(NormSteps):
    """RMSNorm keeps eps as an nn.Parameter, so it is trained."""

    def add_norm_parameters(self, m: NormModule, dim: int) -> None:
        super().add_norm_parameters(m, dim)
        if m.kind == "rms":
            eps = m.eps
            del m.eps
            m.register_parameter("eps", nn.Parameter(torch.tensor(eps)))


@mistake("norm.ln_eps_trained", part="norm")
class LayerEpsTrained(NormSteps):
    """LayerNorm keeps eps as an nn.Parameter, so it is trained."""

    def add_norm_parameters(self, m: NormModule, dim: int) -> None:
        super().add_norm_parameters(m, dim)
        if m.kind == "layer":
            eps = m.eps
            del m.eps
            m.register_parameter("eps", nn.Parameter(torch.tensor(eps)))


@mistake("norm.weight_frozen", part="norm")
class WeightFrozen(NormSteps):
    """RMSNorm's weight has requires_grad=False, so it is not trained."""

    def add_norm_parameters(self, m: NormModule, dim: int) -> None:
        super().add_norm_parameters(m, dim)
        if m.kind == "rms":
            m.weight.requires_grad_(False)


@mistake("norm.no_parameters", part="norm")
class NoParameters(NormSteps):
    """RMSNorm has no weight among its parameters: it has none at all, or keeps it as a buffer or a plain tensor."""

    def add_norm_parameters(self, m: NormModule, dim: int) -> None:
        super().add_norm_parameters(m, dim)
        if m.kind == "rms":
            del m.weight
            m.register_buffer("weight", torch.ones(dim))


@mistake("norm.ln_no_bias", part="norm")
class LayerNoBias(NormSteps):
    """LayerNorm has no bias among its parameters."""

    def add_norm_parameters(self, m: NormModule, dim: int) -> None:
        super().add_norm_parameters(m, dim)
        if m.kind == "layer":
            del m.bias
            m.register_buffer("bias", torch.zeros(dim))
