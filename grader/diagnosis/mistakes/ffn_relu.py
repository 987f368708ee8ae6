"""Mistakes in the classic layer: which activation, where it stands, and what it does to dtype, input and gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.ffn import FeedForwardModule, FeedForwardSteps


@mistake("ffn.relu_activation", part="ffn")
class Gelu(FeedForwardSteps):
    """Uses GELU where ReLU belongs."""

    def relu(self, z: Tensor) -> Tensor:
        return nn.functional.gelu(z)


@mistake("ffn.relu_gelu_tanh", part="ffn")
class GeluTanh(FeedForwardSteps):
    """Uses the tanh form of GELU where ReLU belongs."""

    def relu(self, z: Tensor) -> Tensor:
        return nn.functional.gelu(z, approximate="tanh")


@mistake("ffn.relu_silu", part="ffn")
class Silu(FeedForwardSteps):
    """Uses SiLU where ReLU belongs."""

    def relu(self, z: Tensor) -> Tensor:
        return nn.functional.silu(z)


@mistake("ffn.relu_sigmoid", part="ffn")
class Sigmoid(FeedForwardSteps):
    """Uses a sigmoid where ReLU belongs."""

    def relu(self, z: Tensor) -> Tensor:
        return torch.sigmoid(z)


@mistake("ffn.relu_tanh", part="ffn")
class Tanh(FeedForwardSteps):
    """Uses tanh where ReLU belongs."""

    def relu(self, z: Tensor) -> Tensor:
        return torch.tanh(z)


@mistake("ffn.relu_leaky", part="ffn")
class Leaky(FeedForwardSteps):
    """Uses leaky ReLU, which lets a hundredth of negative values through."""

    def relu(self, z: Tensor) -> Tensor:
        return nn.functional.leaky_relu(z)


@mistake("ffn.relu_squared", part="ffn")
class Squared(FeedForwardSteps):
    """Squares what ReLU returns."""

    def relu(self, z: Tensor) -> Tensor:
        return super().relu(z).square()


@mistake("ffn.relu_capped", part="ffn")
class Capped(FeedForwardSteps):
    """Cuts values above 1 as well as those below 0."""

    def relu(self, z: Tensor) -> Tensor:
        return z.clamp(0, 1)


@mistake("ffn.relu_absolute", part="ffn")
class Absolute(FeedForwardSteps):
    """Takes the absolute value where ReLU gives zero for negative values."""

    def relu(self, z: Tensor) -> Tensor:
        return z.abs()


@mistake("ffn.relu_negative_kept", part="ffn")
class NegativeKept(FeedForwardSteps):
    """Keeps the negative values and drops the positive ones: the comparison is the wrong way round."""

    def relu(self, z: Tensor) -> Tensor:
        return z.clamp(max=0)


@mistake("ffn.relu_absent", part="ffn")
class NoActivation(FeedForwardSteps):
    """Has no activation between the two projections."""

    def relu(self, z: Tensor) -> Tensor:
        return z


@mistake("ffn.relu_last", part="ffn")
class AfterSecond(FeedForwardSteps):
    """Puts ReLU after the second projection instead of between the two."""

    def relu_hidden(self, z: Tensor) -> Tensor:
        return z

    def finish_relu(self, y: Tensor, x: Tensor) -> Tensor:
        return self.relu(super().finish_relu(y, x))


@mistake("ffn.relu_twice", part="ffn")
class AfterBoth(FeedForwardSteps):
    """Puts ReLU after both projections instead of between them only."""

    def finish_relu(self, y: Tensor, x: Tensor) -> Tensor:
        return self.relu(super().finish_relu(y, x))


@mistake("ffn.relu_first", part="ffn")
class BeforeFirst(FeedForwardSteps):
    """Puts ReLU before the first projection instead of between the two."""

    def begin_relu(self, x: Tensor) -> Tensor:
        return self.relu(super().begin_relu(x))

    def relu_hidden(self, z: Tensor) -> Tensor:
        return z


@mistake("ffn.relu_residual", part="ffn")
class Residual(FeedForwardSteps):
    """Adds the input in the classic layer: the residual path belongs to the block."""

    def finish_relu(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_relu(y, x) + x


@mistake("ffn.relu_dtype_upcast", part="ffn")
class Upcast(FeedForwardSteps):
    """Returns FP32 for bf16 inputs in the classic layer."""

    def finish_relu(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_relu(y, x).float()


@mistake("ffn.relu_fp32_result", part="ffn")
class Fp32Result(FeedForwardSteps):
    """Computes the classic layer in FP32, weights included, and does not cast back."""

    def relu_projection(self, w: nn.Linear, x: Tensor) -> Tensor:
        return nn.functional.linear(x.float(), w.weight.float())


@mistake("ffn.relu_mixed_dtypes", part="ffn")
class MixedDtypes(FeedForwardSteps):
    """Casts to FP32 inside the classic layer and not back, so that a projection with bf16 weights raises an error."""

    def relu_hidden(self, z: Tensor) -> Tensor:
        return super().relu_hidden(z.float())


@mistake("ffn.relu_detached", part="ffn")
class Detached(FeedForwardSteps):
    """Detaches what is between the two projections, so w_1 is never trained."""

    def relu_hidden(self, z: Tensor) -> Tensor:
        return super().relu_hidden(z).detach()


@mistake("ffn.relu_no_grad", part="ffn")
class NoGrad(FeedForwardSteps):
    """Runs the classic layer under no_grad, so nothing of it is trained."""

    def relu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        with torch.no_grad():
            return super().relu_forward(m, x)


@mistake("ffn.relu_inplace_input", part="ffn")
class InPlace(FeedForwardSteps):
    """Writes the result of the classic layer over the input as well."""

    def relu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        out = super().relu_forward(m, x)
        x.data.copy_(out.detach())
        return out


@mistake("ffn.relu_input_activated", part="ffn")
class InputActivated(FeedForwardSteps):
    """Applies ReLU to the input in place before the first projection, which changes the caller's tensor."""

    def begin_relu(self, x: Tensor) -> Tensor:
        return x.relu_()


@mistake("ffn.relu_input_view", part="ffn")
class InputView(FeedForwardSteps):
    """Flattens the input with view, which raises an error for a transposed or sliced input."""

    def relu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        return super().relu_forward(m, x.view(-1, x.shape[-1])).view(x.shape)
