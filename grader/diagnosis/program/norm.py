"""Section 4.1 in steps."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class NormModule(nn.Module):
    """A norm whose arithmetic is the program's; ``kind`` is ``layer`` or ``rms``."""

    weight: nn.Parameter
    bias: nn.Parameter

    def __init__(self, program: NormSteps, kind: str, dim: int, eps: float) -> None:
        super().__init__()
        self.__dict__["program"], self.kind, self.eps = program, kind, eps
        self.memory: dict[Any, Any] = {}  # for mistakes that remember something between calls
        program.add_norm_parameters(self, dim)

    def forward(self, x: Any) -> Any:
        """x ``[..., D]``."""
        program: NormSteps = self.__dict__["program"]
        return program.layer_norm(self, x) if self.kind == "layer" else program.rms_norm(self, x)


class NormSteps:
    """LayerNorm (steps ``ln_``) and RMSNorm (steps ``rms_``). ``m`` is the NormModule."""

    def new_layer_norm(self, dim: int, eps: float = 1e-5) -> nn.Module:
        """Construct LayerNorm."""
        return NormModule(self, "layer", dim, eps)

    def new_rms_norm(self, dim: int, eps: float = 1e-6) -> nn.Module:
        """Construct RMSNorm."""
        return NormModule(self, "rms", dim, eps)

    def add_norm_parameters(self, m: NormModule, dim: int) -> None:
        """Gamma, and beta where there is one."""
        m.weight = nn.Parameter(torch.ones(dim))
        if m.kind == "layer":
            m.bias = nn.Parameter(torch.zeros(dim))

    # -- LayerNorm --------------------------------------------------------------------------------------------

    def layer_norm(self, m: NormModule, x: Tensor) -> Tensor:
        """The whole of LayerNorm."""
        wide = self.ln_begin(x)
        centred = self.ln_centre(wide, self.ln_mean(wide))
        normed = self.ln_divide(centred, self.ln_variance(wide, centred), self.ln_eps(m))
        return self.ln_finish(self.ln_affine(normed, m), x)

    def ln_begin(self, x: Tensor) -> Tensor:
        """x as the statistics take it: FP32."""
        return x.float()

    def ln_axes(self, wide: Tensor) -> tuple[int, ...]:
        """Axes that a mean and a variance run over."""
        return (-1,)

    def ln_mean(self, wide: Tensor) -> Tensor:
        """Of each token, ``[..., 1]``."""
        return wide.mean(self.ln_axes(wide), keepdim=True)

    def ln_centre(self, wide: Tensor, mean: Tensor) -> Tensor:
        """What is normalised, ``[..., D]``."""
        return wide - mean

    def ln_variance(self, wide: Tensor, centred: Tensor) -> Tensor:
        """Biased, of each token, ``[..., 1]``."""
        return centred.square().mean(self.ln_axes(wide), keepdim=True)

    def ln_eps(self, m: NormModule) -> float:
        """The eps that is used."""
        return m.eps

    def ln_divide(self, centred: Tensor, variance: Tensor, eps: float) -> Tensor:
        """centred / sqrt(variance + eps)."""
        return centred / torch.sqrt(variance + eps)

    def ln_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        """gamma and beta."""
        return self.ln_scaled(normed, m) + m.bias.float()

    def ln_scaled(self, normed: Tensor, m: NormModule) -> Tensor:
        """gamma."""
        return normed * m.weight.float()

    def ln_finish(self, y: Tensor, x: Tensor) -> Tensor:
        """One cast at the end."""
        return y.to(x.dtype)

    # -- RMSNorm ----------------------------------------------------------------------------------------------

    def rms_norm(self, m: NormModule, x: Tensor) -> Tensor:
        """The whole of RMSNorm."""
        wide = self.rms_begin(x)
        normed = self.rms_divide(wide, self.rms_statistic(m, wide), self.rms_eps(m))
        return self.rms_finish(self.rms_affine(normed, m), x)

    def rms_begin(self, x: Tensor) -> Tensor:
        """x as the statistic takes it: FP32."""
        return x.float()

    def rms_axes(self, wide: Tensor) -> tuple[int, ...]:
        """Axes that the mean square runs over."""
        return (-1,)

    def rms_statistic(self, m: NormModule, wide: Tensor) -> Tensor:
        """The mean square that this call divides by."""
        return self.mean_square(wide)

    def mean_square(self, wide: Tensor) -> Tensor:
        """Of each token, ``[..., 1]``."""
        return wide.square().mean(self.rms_axes(wide), keepdim=True)

    def rms_eps(self, m: NormModule) -> float:
        """The eps that is used."""
        return m.eps

    def rms_divide(self, wide: Tensor, mean_square: Tensor, eps: float) -> Tensor:
        """wide / sqrt(mean_square + eps)."""
        return wide / torch.sqrt(mean_square + eps)

    def rms_affine(self, normed: Tensor, m: NormModule) -> Tensor:
        """gamma."""
        return normed * m.weight.float()

    def rms_finish(self, y: Tensor, x: Tensor) -> Tensor:
        """One cast at the end."""
        return y.to(x.dtype)
