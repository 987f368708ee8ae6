"""Section 4.1 in steps."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class NormModule(nn.Module):
    """A norm whose arithmetic is the program's; ``kind`` is ``layer`` or ``rms``."""

    def __init__(self, program: NormSteps, kind: str, dim: int, eps: float) -> None:
        super().__init__()
        self.__dict__["program"], self.kind, self.eps = program, kind, eps
        self.weight = nn.Parameter(torch.ones(dim))
        if kind == "layer":
            self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Any) -> Any:
        """x ``[..., D]``."""
        program: NormSteps = self.__dict__["program"]
        return program.layer_norm(self, x) if self.kind == "layer" else program.rms_norm(self, x)


class NormSteps:
    """LayerNorm and RMSNorm. ``m`` is the NormModule."""

    def new_layer_norm(self, dim: int, eps: float = 1e-5) -> nn.Module:
        """Construct LayerNorm."""
        return NormModule(self, "layer", dim, eps)

    def new_rms_norm(self, dim: int, eps: float = 1e-6) -> nn.Module:
        """Construct RMSNorm."""
        return NormModule(self, "rms", dim, eps)

    def layer_norm(self, m: NormModule, x: Tensor) -> Tensor:
        """The whole of LayerNorm."""
        wide = self.begin_norm(x)
        centred = wide - self.mean(wide)
        normed = self.ln_divide(centred, self.variance(centred), m.eps)
        return self.finish_norm(self.ln_affine(normed, m), x)

    def mean(self, wide: Tensor) -> Tensor:
        """Of each token, ``[..., 1]``."""
        return wide.mean(-1, keepdim=True)

    def variance(self, centred: Tensor) -> Tensor:
        """Biased, of each token, ``[..., 1]``."""
        return centred.square().mean(-1, keepdim=True)

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        """centred / sqrt(variance + eps)."""
        return centred / torch.sqrt(variance + eps)

    def ln_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        """gamma and beta."""
        return normed * m.weight.float() + m.bias.float()

    def rms_norm(self, m: NormModule, x: Tensor) -> Tensor:
        """The whole of RMSNorm."""
        wide = self.begin_norm(x)
        normed = self.rms_divide(wide, self.mean_square(wide), m.eps)
        return self.finish_norm(self.rms_affine(normed, m), x)

    def mean_square(self, wide: Tensor) -> Tensor:
        """Of each token, ``[..., 1]``."""
        return wide.square().mean(-1, keepdim=True)

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        """wide / sqrt(mean_square + eps)."""
        return wide / torch.sqrt(mean_square + eps)

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        """gamma."""
        return normed * m.weight.float()

    def begin_norm(self, x: Tensor) -> Tensor:
        """x as the statistics take it: FP32."""
        return x.float()

    def finish_norm(self, y: Tensor, x: Tensor) -> Tensor:
        """One cast at the end."""
        return y.to(x.dtype)
