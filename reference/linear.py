"""Sections 4.6 and 4.7: the bias-free projection that attention and feed-forward layers are built from."""

import torch
from torch import Tensor


def project(x: Tensor, weight: Tensor) -> Tensor:
    """Multiply row vectors by W, stored transposed as `nn.Linear` does: x W = x @ weight^T.

    `nn.Linear` itself refuses a bf16 x with FP32 weights; here x alone decides the dtype of the result.

    Args:
        x: [..., N].
        weight: [M, N], the chapter's W [N, M] transposed.

    Returns:
        [..., M] in x's dtype; computed in FP32, or in FP64 for an FP64 x.

    Raises:
        ValueError: When x is not N wide.
    """
    if x.shape[-1] != weight.shape[-1]:
        raise ValueError(f"x must be [..., {weight.shape[-1]}] for weight {list(weight.shape)}, got x {list(x.shape)}")
    compute = torch.promote_types(x.dtype, torch.float32)
    return torch.matmul(x.to(compute), weight.to(compute).transpose(0, 1)).to(x.dtype)
