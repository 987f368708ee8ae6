"""Section 4.1: LayerNorm and RMSNorm, over the D features of one token."""

import torch
from torch import Tensor, nn


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, *, eps: float) -> Tensor:
    """Center each token's features, scale them to variance 1, then apply gamma and beta.

    Mean and variance belong to one token: they never mix the batch or the sequence. Adding one number to all
    features of a token changes nothing.

    Args:
        x: [..., D], any floating dtype.
        weight: gamma, [D].
        bias: beta, [D].
        eps: added to the variance, under the root.

    Returns:
        [..., D] in x's dtype; computed in FP32, or in FP64 for an FP64 x.

    Raises:
        ValueError: When x has another width than weight and bias.
    """
    _check_width(x, "weight", weight)
    _check_width(x, "bias", bias)
    compute = torch.promote_types(x.dtype, torch.float32)
    features = x.to(compute)
    mean = features.mean(dim=-1, keepdim=True)  # [..., 1]
    centered = features - mean  # [..., D]
    # The chapter's v divides by D (a description of these D numbers), not by D - 1 (an estimate from a sample).
    variance = (centered * centered).mean(dim=-1, keepdim=True)  # [..., 1]
    normed = centered / torch.sqrt(variance + eps)  # [..., D]
    return (normed * weight.to(compute) + bias.to(compute)).to(x.dtype)


def rms_norm(x: Tensor, weight: Tensor, *, eps: float) -> Tensor:
    """Scale each token's features to a mean square of 1, then apply gamma.

    No mean is subtracted and no bias added, so the direction of x is kept until gamma scales each feature.

    Args:
        x: [..., D], any floating dtype.
        weight: gamma, [D].
        eps: added to the mean square, under the root.

    Returns:
        [..., D] in x's dtype; computed in FP32, or in FP64 for an FP64 x.

    Raises:
        ValueError: When x has another width than weight.
    """
    _check_width(x, "weight", weight)
    compute = torch.promote_types(x.dtype, torch.float32)
    features = x.to(compute)
    mean_square = (features * features).mean(dim=-1, keepdim=True)  # [..., 1]
    normed = features / torch.sqrt(mean_square + eps)  # [..., D]
    # gamma before the cast: a cast in between would round twice.
    return (normed * weight.to(compute)).to(x.dtype)


class LayerNorm(nn.Module):
    """LayerNorm with trained gamma (`weight`) and beta (`bias`), [..., D] -> [..., D] in the same dtype (4.1)."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        """Normalize x [..., D], see `layer_norm`."""
        return layer_norm(x, self.weight, self.bias, eps=self.eps)


class RMSNorm(nn.Module):
    """RMSNorm with trained gamma (`weight`), [..., D] -> [..., D] in the same dtype (4.1)."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        """Normalize x [..., D], see `rms_norm`."""
        return rms_norm(x, self.weight, eps=self.eps)


def _check_width(x: Tensor, name: str, parameter: Tensor) -> None:
    # Without this, a [..., 1] input would silently be spread over D features.
    if x.shape[-1:] != parameter.shape:
        raise ValueError(f"x must be [..., D] for {name} [D] = {list(parameter.shape)}, got x {list(x.shape)}")
