"""Section 4.1: LayerNorm and RMSNorm."""

from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Normalize the D features of each token by mean and variance, then apply gamma and beta.

    Parameters (trained): `weight` is gamma, [D], ones at first; `bias` is beta, [D], zeros at first.

    Args:
        dim: D.
        eps: Added to the variance, under the root.
    """

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        raise NotImplementedError("section 4.1: LayerNorm")

    def forward(self, x: Tensor) -> Tensor:
        """Normalize over the last axis.

        Args:
            x: [..., D], bf16 or FP32.

        Returns:
            [..., D] in x's dtype. Compute in FP32 inside and cast once, last, whatever the dtype of the parameters.
        """
        raise NotImplementedError("section 4.1: LayerNorm.forward")


class RMSNorm(nn.Module):
    """Scale the D features of each token by their root mean square, then apply gamma.

    Parameter (trained): `weight` is gamma, [D], ones at first.

    Args:
        dim: D.
        eps: Added to the mean square, under the root.
    """

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        raise NotImplementedError("section 4.1: RMSNorm")

    def forward(self, x: Tensor) -> Tensor:
        """Normalize over the last axis.

        Args:
            x: [..., D], bf16 or FP32.

        Returns:
            [..., D] in x's dtype. Compute in FP32 inside and cast once, last, whatever the dtype of the parameter.
        """
        raise NotImplementedError("section 4.1: RMSNorm.forward")
