"""Mistakes in what SwiGLU does around its branches: dtype, input, gradient, and what else it adds."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.ffn import FeedForwardModule, FeedForwardSteps


@mistake("swiglu.dtype_upcast", part="ffn")
class Upcast(FeedForwardSteps):
    """Returns FP32 for bf16 inputs in SwiGLU."""

    def finish_swiglu(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_swiglu(y, x).float()


@mistake("swiglu.fp32_result", part="ffn")
class Fp32Result(FeedForwardSteps):
    """Computes SwiGLU in FP32, weights included, and does not cast back."""

    def swiglu_projection(self, w: nn.Linear, x: Tensor) -> Tensor:
        return nn.functional.linear(x.float(), w.weight.float())


@mistake("swiglu.mixed_dtypes", part="ffn")
class MixedDtypes(FeedForwardSteps):
    """Casts to FP32 inside SwiGLU and not back, so that a projection with bf16 weights raises an error."""

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().swiglu_hidden(gate.float(), up)


@mistake("swiglu.through_bf16", part="ffn")
class ThroughBf16(FeedForwardSteps):
    """Rounds the product of the branches to bf16, for FP32 inputs too."""

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().swiglu_hidden(gate, up).bfloat16().to(up.dtype)


@mistake("swiglu.through_fp16", part="ffn")
class ThroughFp16(FeedForwardSteps):
    """Rounds the product of the branches to fp16, for FP32 inputs too."""

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().swiglu_hidden(gate, up).half().to(up.dtype)


@mistake("swiglu.activated_output", part="ffn")
class ActivatedOutput(FeedForwardSteps):
    """Applies SiLU once more to what w_down returns."""

    def finish_swiglu(self, y: Tensor, x: Tensor) -> Tensor:
        return self.silu(super().finish_swiglu(y, x))


@mistake("swiglu.activated_last", part="ffn")
class ActivatedLast(FeedForwardSteps):
    """Applies SiLU to what w_down returns instead of to the gate."""

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        return gate * up

    def finish_swiglu(self, y: Tensor, x: Tensor) -> Tensor:
        return self.silu(super().finish_swiglu(y, x))


@mistake("swiglu.activated_input", part="ffn")
class ActivatedInput(FeedForwardSteps):
    """Applies SiLU to the input instead of to the gate."""

    def begin_swiglu(self, x: Tensor) -> Tensor:
        return self.silu(super().begin_swiglu(x))

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        return gate * up


@mistake("swiglu.residual", part="ffn")
class Residual(FeedForwardSteps):
    """Adds the input in SwiGLU: the residual path belongs to the block."""

    def finish_swiglu(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_swiglu(y, x) + x


@mistake("swiglu.scaled_output", part="ffn")
class ScaledOutput(FeedForwardSteps):
    """Divides the product of the branches by the root of the width."""

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().swiglu_hidden(gate, up) / math.sqrt(gate.shape[-1])


@mistake("swiglu.input_normalised", part="ffn")
class InputNormalised(FeedForwardSteps):
    """Normalises its input: the norm belongs to the block."""

    def begin_swiglu(self, x: Tensor) -> Tensor:
        wide = super().begin_swiglu(x).float()
        normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
        return normed.to(x.dtype)


@mistake("swiglu.hidden_normalised", part="ffn")
class HiddenNormalised(FeedForwardSteps):
    """Normalises the product of the branches before w_down."""

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        hidden = super().swiglu_hidden(gate, up)
        wide = hidden.float()
        normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
        return normed.to(hidden.dtype)


@mistake("swiglu.detached_gate", part="ffn")
class DetachedGate(FeedForwardSteps):
    """Detaches the gate, so w_gate is never trained."""

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().swiglu_hidden(gate.detach(), up)


@mistake("swiglu.detached_up", part="ffn")
class DetachedUp(FeedForwardSteps):
    """Detaches the up branch, so w_up is never trained."""

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().swiglu_hidden(gate, up.detach())


@mistake("swiglu.detached_hidden", part="ffn")
class DetachedHidden(FeedForwardSteps):
    """Detaches the product of the branches, so only w_down is trained."""

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().swiglu_hidden(gate, up).detach()


@mistake("swiglu.detached_input", part="ffn")
class DetachedInput(FeedForwardSteps):
    """Detaches the input, so nothing before SwiGLU is trained through it."""

    def begin_swiglu(self, x: Tensor) -> Tensor:
        return super().begin_swiglu(x).detach()


@mistake("swiglu.detached_sigmoid", part="ffn")
class DetachedSigmoid(FeedForwardSteps):
    """Treats the sigmoid in SiLU as a constant, so the gradient of the gate lacks a term."""

    def silu(self, z: Tensor) -> Tensor:
        return z * torch.sigmoid(z).detach()


@mistake("swiglu.detached_z", part="ffn")
class DetachedZ(FeedForwardSteps):
    """Treats the factor z in SiLU as a constant, so the gradient of the gate lacks a term."""

    def silu(self, z: Tensor) -> Tensor:
        return z.detach() * torch.sigmoid(z)


@mistake("swiglu.no_grad", part="ffn")
class NoGrad(FeedForwardSteps):
    """Runs SwiGLU under no_grad, so nothing of it is trained."""

    def swiglu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        with torch.no_grad():
            return super().swiglu_forward(m, x)


@mistake("swiglu.inplace_input", part="ffn")
class InPlace(FeedForwardSteps):
    """Writes the result of SwiGLU over the input as well."""

    def swiglu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        out = super().swiglu_forward(m, x)
        x.data.copy_(out.detach())
        return out


@mistake("swiglu.input_activated", part="ffn")
class InputActivated(FeedForwardSteps):
    """Applies SiLU to the input in place, which changes the caller's tensor."""

    def begin_swiglu(self, x: Tensor) -> Tensor:
        return nn.functional.silu(x, inplace=True)


@mistake("swiglu.input_view", part="ffn")
class InputView(FeedForwardSteps):
    """Flattens the input with view, which raises an error for a transposed or sliced input."""

    def swiglu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        return super().swiglu_forward(m, x.view(-1, x.shape[-1])).view(x.shape)
