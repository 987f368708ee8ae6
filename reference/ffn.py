"""Section 4.6: from the ReLU feed-forward layer to SwiGLU.

The chapter writes weights for row vectors, W [in, out]. `nn.Linear` stores them transposed, [out, in], and so do the
arguments here.
"""

import torch
from torch import Tensor, nn

from reference.linear import project


def silu(z: Tensor) -> Tensor:
    """Give z * sigmoid(z), elementwise, in z's dtype; it dips below 0 for negative z.

    Its derivative is s + z s (1 - s), where s = sigmoid(z).
    """
    return z * torch.sigmoid(z)


def relu_feed_forward(x: Tensor, w_1: Tensor, w_2: Tensor) -> Tensor:
    """Give ReLU(x W1) W2.

    Args:
        x: [..., D], any floating dtype.
        w_1: [F, D].
        w_2: [D, F].

    Returns:
        [..., D] in x's dtype; computed in FP32, or in FP64 for an FP64 x.
    """
    compute = torch.promote_types(x.dtype, torch.float32)
    hidden = torch.relu(project(x.to(compute), w_1))  # [..., F]
    return project(hidden, w_2).to(x.dtype)  # [..., D]


def swiglu(x: Tensor, w_gate: Tensor, w_up: Tensor, w_down: Tensor) -> Tensor:
    """Give (SiLU(x Wg) * (x Wu)) Wd: one branch scales the other, feature by feature.

    The gate is neither a probability nor between 0 and 1. Only the gate goes through SiLU.

    Args:
        x: [..., D], any floating dtype.
        w_gate: [F, D].
        w_up: [F, D].
        w_down: [D, F].

    Returns:
        [..., D] in x's dtype; computed in FP32, or in FP64 for an FP64 x.
    """
    compute = torch.promote_types(x.dtype, torch.float32)
    features = x.to(compute)
    gate = silu(project(features, w_gate))  # [..., F]
    up = project(features, w_up)  # [..., F]
    return project(gate * up, w_down).to(x.dtype)  # [..., D]


def swiglu_hidden_dim(dim: int, multiple_of: int = 1) -> int:
    """Give the F at which SwiGLU has about the parameters of a classic layer with 4 D: 3 D F = 2 D (4 D), F = 8 D / 3.

    Args:
        dim: D, positive.
        multiple_of: What the hardware likes F to be a multiple of, positive.

    Returns:
        The smallest multiple of multiple_of that is not below 8 D / 3.

    Raises:
        ValueError: When an argument is not positive.
    """
    if dim <= 0 or multiple_of <= 0:
        raise ValueError(f"dim and multiple_of must be positive, got dim = {dim} and multiple_of = {multiple_of}")
    # Whole numbers only, rounded up: -(-a // b) is the ceiling of a / b.
    return -(-8 * dim // (3 * multiple_of)) * multiple_of


class ReLUFeedForward(nn.Module):
    """The classic feed-forward layer, [..., D] -> [..., D]; 2 D F parameters `w_1`, `w_2`, no bias (4.6)."""

    def __init__(self, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w_2 = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Transform each token of x [..., D] by itself, see `relu_feed_forward`."""
        return relu_feed_forward(x, self.w_1.weight, self.w_2.weight)


class SwiGLU(nn.Module):
    """The gated FFN, [..., D] -> [..., D]; 3 D F parameters, `w_gate`, `w_up`, `w_down`, no bias (4.6)."""

    def __init__(self, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(dim, hidden_dim, bias=False)
        self.w_up = nn.Linear(dim, hidden_dim, bias=False)
        self.w_down = nn.Linear(hidden_dim, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Transform each token of x [..., D] by itself, see `swiglu`."""
        return swiglu(x, self.w_gate.weight, self.w_up.weight, self.w_down.weight)
