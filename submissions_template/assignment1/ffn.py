"""Section 4.6: from the ReLU feed-forward layer to SwiGLU."""

from torch import Tensor, nn


class ReLUFeedForward(nn.Module):
    """ReLU(x W1) W2.

    Parameters (trained), `nn.Linear` without bias: `w_1` D -> F, `w_2` F -> D.

    Args:
        dim: D.
        hidden_dim: F.
    """

    def __init__(self, dim: int, hidden_dim: int) -> None:
        raise NotImplementedError("section 4.6: ReLUFeedForward")

    def forward(self, x: Tensor) -> Tensor:
        """Transform each token by itself.

        Args:
            x: [..., D], bf16 or FP32.

        Returns:
            [..., D] in x's dtype.
        """
        raise NotImplementedError("section 4.6: ReLUFeedForward.forward")


class SwiGLU(nn.Module):
    """(SiLU(x Wg) * (x Wu)) Wd, where SiLU(z) = z sigmoid(z).

    Parameters (trained), `nn.Linear` without bias: `w_gate` and `w_up` D -> F, `w_down` F -> D.

    Args:
        dim: D.
        hidden_dim: F.
    """

    def __init__(self, dim: int, hidden_dim: int) -> None:
        raise NotImplementedError("section 4.6: SwiGLU")

    def forward(self, x: Tensor) -> Tensor:
        """Transform each token by itself.

        Args:
            x: [..., D], bf16 or FP32.

        Returns:
            [..., D] in x's dtype.
        """
        raise NotImplementedError("section 4.6: SwiGLU.forward")


def swiglu_hidden_dim(dim: int, multiple_of: int = 1) -> int:
    """Give the F at which SwiGLU has about as many parameters as a classic layer with F = 4 D.

    Args:
        dim: D.
        multiple_of: What F must be a multiple of.

    Returns:
        An int near 8 D / 3, a multiple of multiple_of.
    """
    raise NotImplementedError("section 4.6: swiglu_hidden_dim")
