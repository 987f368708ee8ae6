"""Section 4.6 in steps."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class FeedForwardModule(nn.Module):
    """Projections by the names given; what happens between them is the program's."""

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
        bias = self.has_bias(m)
        if m.kind == "relu":
            m.w_1, m.w_2 = nn.Linear(dim, hidden_dim, bias=bias), nn.Linear(hidden_dim, dim, bias=bias)
            return
        m.w_gate, m.w_up = nn.Linear(dim, hidden_dim, bias=bias), nn.Linear(dim, hidden_dim, bias=bias)
        m.w_down = nn.Linear(hidden_dim, dim, bias=bias)

    def has_bias(self, m: FeedForwardModule) -> bool:
        """No."""
        return False

    def relu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        """ReLU(x W1) W2."""
        return self.finish_ffn(m.w_2(self.relu(m.w_1(self.begin_ffn(x)))), x)

    def relu(self, z: Tensor) -> Tensor:
        """The classic activation."""
        return torch.relu(z)

    def swiglu_forward(self, m: FeedForwardModule, x: Tensor) -> Tensor:
        """(SiLU(x Wg) * (x Wu)) Wd."""
        given = self.begin_ffn(x)
        return self.finish_ffn(m.w_down(self.gated(m.w_gate(given), m.w_up(given))), x)

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        """SiLU(gate) * up."""
        return self.silu(gate) * up

    def silu(self, z: Tensor) -> Tensor:
        """z sigmoid(z)."""
        return nn.functional.silu(z)

    def begin_ffn(self, x: Tensor) -> Tensor:
        """x as the projections take it."""
        return x

    def finish_ffn(self, y: Tensor, x: Tensor) -> Tensor:
        """What the layer returns."""
        return y

    def swiglu_hidden_dim(self, dim: int, multiple_of: int = 1) -> int:
        """8 D / 3, rounded up to a multiple."""
        return -(-8 * dim // (3 * multiple_of)) * multiple_of
