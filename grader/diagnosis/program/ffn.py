"""Section 4.6 in steps."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class FeedForwardModule(nn.Module):
    """Projections of a ``relu`` or ``swiglu`` layer; what happens between them is the program's."""

    w_1: nn.Linear
    w_2: nn.Linear
    w_gate: nn.Linear
    w_up: nn.Linear
    w_down: nn.Linear

    def __init__(self, program: FeedForwardSteps, kind: str, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.__dict__["program"], self.kind = program, kind
        program.add_feed_forward(self, dim, hidden_dim)

    def forward(self, x: Any) -> Any:
        """x ``[..., D]``."""
        program: FeedForwardSteps = self.__dict__["program"]
        return program.relu_forward(self, x) if self.kind == "relu" else program.swiglu_forward(self, x)


class FeedForwardSteps:
    """``m`` is the FeedForwardModule."""

    def new_relu(self, dim: int, hidden_dim: int) -> nn.Module:
        """Construct ReLUFeedForward."""
        return FeedForwardModule(self, "relu", dim, hidden_dim)

    def new_swiglu(self, dim: int, hidden_dim: int) -> nn.Module:
        """Construct SwiGLU."""
        return FeedForwardModule(self, "swiglu", dim, hidden_dim)

    def add_feed_forward(self, m: FeedForwardModule, dim: int, hidden_dim: int) -> None:
        """Bias-free projections."""
        inside = self.relu_width(dim, hidden_dim) if m.kind == "relu" else self.swiglu_width(dim, hidden_dim)
        for name in ("w_1", "w_2") if m.kind == "relu" else ("w_gate", "w_up", "w_down"):
            inputs, outputs = (inside, dim) if name in ("w_2", "w_down") else (dim, inside)
            setattr(m, name, nn.Linear(inputs, outputs, bias=self.has_bias(name)))

    def relu_width(self, dim: int, hidden_dim: int) -> int:
        """How wide the classic layer is inside: as it is told."""
        return hidden_dim

    def swiglu_width(self, dim: int, hidden_dim: int) -> int:
        """How wide SwiGLU is inside: as it is told."""
        return hidden_dim

    def has_bias(self, name: str) -> bool:
        """Whether the projection of this name has one: no."""
        return False

    # -- the classic layer ------------------------------------------------------------------------------------

    def relu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        """ReLU(x W1) W2."""
        hidden = self.relu_hidden(self.relu_projection(m.w_1, self.begin_relu(x)))
        return self.finish_relu(self.relu_projection(m.w_2, hidden), x)

    def begin_relu(self, x: Tensor) -> Tensor:
        """x as w_1 takes it."""
        return x

    def relu_projection(self, w: nn.Linear, x: Tensor) -> Tensor:
        """One of the two products, in x's dtype."""
        result: Tensor = w(x)
        return result

    def relu_hidden(self, z: Tensor) -> Tensor:
        """What w_2 takes."""
        return self.relu(z)

    def relu(self, z: Tensor) -> Tensor:
        """The classic activation."""
        return torch.relu(z)

    def finish_relu(self, y: Tensor, x: Tensor) -> Tensor:
        """What the classic layer returns."""
        return y

    # -- SwiGLU -----------------------------------------------------------------------------------------------

    def swiglu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        """(SiLU(x Wg) * (x Wu)) Wd."""
        given = self.begin_swiglu(x)
        gate, up = self.swiglu_projection(m.w_gate, given), self.swiglu_projection(m.w_up, given)
        return self.finish_swiglu(self.swiglu_projection(m.w_down, self.swiglu_hidden(gate, up)), x)

    def begin_swiglu(self, x: Tensor) -> Tensor:
        """x as w_gate and w_up take it."""
        return x

    def swiglu_projection(self, w: nn.Linear, x: Tensor) -> Tensor:
        """One of the three products, in x's dtype."""
        result: Tensor = w(x)
        return result

    def swiglu_hidden(self, gate: Tensor, up: Tensor) -> Tensor:
        """What w_down takes."""
        return self.gated(gate, up)

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        """SiLU(gate) * up."""
        return self.silu(gate) * up

    def silu(self, z: Tensor) -> Tensor:
        """z sigmoid(z)."""
        return nn.functional.silu(z)

    def finish_swiglu(self, y: Tensor, x: Tensor) -> Tensor:
        """What SwiGLU returns."""
        return y

    # -- the width --------------------------------------------------------------------------------------------

    def swiglu_hidden_dim(self, dim: int, multiple_of: int = 1) -> int:
        """8 D / 3, rounded up to a multiple."""
        return self.aligned(self.equal_width(dim), multiple_of)

    def equal_width(self, dim: int) -> int:
        """The width with as many parameters as the classic layer of 4 D, as a whole number."""
        return 8 * dim // 3

    def aligned(self, width: int, multiple_of: int) -> int:
        """The next multiple."""
        return -(-width // multiple_of) * multiple_of
