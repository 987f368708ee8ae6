"""Mistakes in SwiGLU's two branches: which one is activated, by what, and how they are joined."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.ffn import FeedForwardSteps


@mistake("swiglu.sigmoid_gate", part="ffn")
class SigmoidGate(FeedForwardSteps):
    """Uses a sigmoid on the gate branch, which makes it the original GLU."""

    def silu(self, z: Tensor) -> Tensor:
        return torch.sigmoid(z)


@mistake("swiglu.wrong_activation", part="ffn")
class GeluTanh(FeedForwardSteps):
    """Uses GELU (its tanh form) on the gate branch, which makes it GEGLU."""

    def silu(self, z: Tensor) -> Tensor:
        return nn.functional.gelu(z, approximate="tanh")


@mistake("swiglu.gelu_gate", part="ffn")
class Gelu(FeedForwardSteps):
    """Uses GELU (its exact form) on the gate branch, which makes it GEGLU."""

    def silu(self, z: Tensor) -> Tensor:
        return nn.functional.gelu(z)


@mistake("swiglu.quick_gelu_gate", part="ffn")
class QuickGelu(FeedForwardSteps):
    """Uses z sigmoid(1.702 z), the fast form of GELU, on the gate branch."""

    def silu(self, z: Tensor) -> Tensor:
        return z * torch.sigmoid(1.702 * z)


@mistake("swiglu.relu_gate", part="ffn")
class ReluGate(FeedForwardSteps):
    """Uses ReLU on the gate branch, which makes it ReGLU."""

    def silu(self, z: Tensor) -> Tensor:
        return torch.relu(z)


@mistake("swiglu.tanh_gate", part="ffn")
class TanhGate(FeedForwardSteps):
    """Uses tanh on the gate branch."""

    def silu(self, z: Tensor) -> Tensor:
        return torch.tanh(z)


@mistake("swiglu.z_tanh_gate", part="ffn")
class ZTanhGate(FeedForwardSteps):
    """Multiplies the gate by its tanh instead of its sigmoid."""

    def silu(self, z: Tensor) -> Tensor:
        return z * torch.tanh(z)


@mistake("swiglu.softplus_gate", part="ffn")
class SoftplusGate(FeedForwardSteps):
    """Uses softplus on the gate branch."""

    def silu(self, z: Tensor) -> Tensor:
        return nn.functional.softplus(z)


@mistake("swiglu.mish_gate", part="ffn")
class MishGate(FeedForwardSteps):
    """Uses Mish on the gate branch."""

    def silu(self, z: Tensor) -> Tensor:
        return nn.functional.mish(z)


@mistake("swiglu.elu_gate", part="ffn")
class EluGate(FeedForwardSteps):
    """Uses ELU on the gate branch."""

    def silu(self, z: Tensor) -> Tensor:
        return nn.functional.elu(z)


@mistake("swiglu.hardswish_gate", part="ffn")
class HardswishGate(FeedForwardSteps):
    """Uses the piecewise hard swish on the gate branch."""

    def silu(self, z: Tensor) -> Tensor:
        return nn.functional.hardswish(z)


@mistake("swiglu.softmax_gate", part="ffn")
class SoftmaxGate(FeedForwardSteps):
    """Uses a softmax over the features on the gate branch."""

    def silu(self, z: Tensor) -> Tensor:
        return torch.softmax(z, dim=-1)


@mistake("swiglu.negative_sigmoid", part="ffn")
class NegativeSigmoid(FeedForwardSteps):
    """Computes SiLU as z sigmoid(-z): the sign in 1 / (1 + exp(-z)) is lost."""

    def silu(self, z: Tensor) -> Tensor:
        return z * torch.sigmoid(-z)


@mistake("swiglu.silu_twice", part="ffn")
class SiluTwice(FeedForwardSteps):
    """Applies SiLU to the gate twice."""

    def silu(self, z: Tensor) -> Tensor:
        return super().silu(super().silu(z))


@mistake("swiglu.no_activation", part="ffn")
class NoActivation(FeedForwardSteps):
    """Multiplies both branches without any activation."""

    def silu(self, z: Tensor) -> Tensor:
        return z


@mistake("swiglu.swapped", part="ffn")
class Swapped(FeedForwardSteps):
    """Puts the activation on the up branch instead of the gate branch."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().gated(up, gate)


@mistake("swiglu.both_activated", part="ffn")
class BothActivated(FeedForwardSteps):
    """Puts SiLU on both branches."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().gated(gate, self.silu(up))


@mistake("swiglu.silu_of_product", part="ffn")
class SiluOfProduct(FeedForwardSteps):
    """Closes the bracket too late: SiLU of the product of both branches."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return self.silu(gate * up)


@mistake("swiglu.silu_of_sum", part="ffn")
class SiluOfSum(FeedForwardSteps):
    """Adds the branches and applies SiLU to the sum, instead of SiLU(gate) times up."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return self.silu(gate + up)


@mistake("swiglu.branches_added", part="ffn")
class Added(FeedForwardSteps):
    """Adds the up branch to the activated gate instead of multiplying by it."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return self.silu(gate) + up


@mistake("swiglu.up_plus_one", part="ffn")
class UpPlusOne(FeedForwardSteps):
    """Multiplies the activated gate by up + 1 instead of up."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().gated(gate, up + 1)


@mistake("swiglu.up_unused", part="ffn")
class UpUnused(FeedForwardSteps):
    """Leaves the up branch out: only the activated gate goes to w_down."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return self.silu(gate)


@mistake("swiglu.gate_unused", part="ffn")
class GateUnused(FeedForwardSteps):
    """Leaves the gate branch out: only the activated up branch goes to w_down."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return self.silu(up)


@mistake("swiglu.gate_times_itself", part="ffn")
class GateTwice(FeedForwardSteps):
    """Computes both branches with w_gate, so w_up is never used."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().gated(gate, gate)


@mistake("swiglu.up_times_itself", part="ffn")
class UpTwice(FeedForwardSteps):
    """Computes both branches with w_up, so w_gate is never used."""

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return super().gated(up, up)
