"""Error bounds of legal FP32 computations, per element, in FP64.

``u = 2^-24`` is FP32's unit roundoff. Every bound carries a factor 2, so that legal programs use at most half of it.
They hold for any order of summation, for fused and separate multiply-add, and for the documented accuracy of CUDA's
functions (sin, cos, rsqrt 2 ulp, pow 4 ulp), so one set serves every device.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grader.numerics.rounding import FP32_UNIT as U

MARGIN = 2.0
TINY = 2.0**-140  # below FP32's normal range errors are absolute


def angle_error(positions: Tensor, head_dim: int, base: float) -> Tensor:
    """Bound of the error of ``p * theta_r`` as FP32 programs compute it.

    ``u (K_r |alpha| + 4)`` with K_0 = 1 (theta_0 = 1 is exact; a reduction modulo 2 pi may err) and
    ``K_r = 10 + 2 |ln theta_r| + r``: pow 4 ulp = 8u, a reciprocal 1u, the product 1u; an exponent that is rounded
    twice (exp of log) costs |ln theta| u each; theta as a running product costs 1u a step. 4u: the angle rounded again
    after an FP64 reduction.

    Args:
        positions: integers, any shape ``[...]``.

    Returns:
        ``[..., d/2]``, radians.
    """
    r = torch.arange(head_dim // 2, dtype=torch.float64)
    log_theta = (2 * r / head_dim) * math.log(base)
    factor = torch.where(r == 0, torch.ones_like(r), 10 + 2 * log_theta.abs() + r)
    angle = positions.double()[..., None] * torch.exp(-log_theta)
    return U * (factor * angle.abs() + 4)


def rope(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Bound of the FP32 error of ``apply_rope``.

    For the pair (a, b), with angle error da:
    ``E_even = 2 [12u (|a c| + |b s|) + da (|a s| + |b c|) + da^2/2 (|a| + |b|)]``, E_odd likewise with c and s
    exchanged. 12u: cos and sin 3.5 ulp (7u), table, product and sum 1u each, rounded up. Capped at 2 (|a| + |b|): a
    rotation cannot err by more.

    Args:
        x: ``[B, T, H, d]``.
        positions: ``[T]`` or ``[B, T]``.

    Returns:
        FP64 ``[B, T, H, d]``.
    """
    head_dim = x.shape[-1]
    rows = positions if positions.dim() == 2 else positions[None]
    r = torch.arange(head_dim // 2, dtype=torch.float64)
    angle = rows.double()[:, :, None, None] * torch.exp(-(2 * r / head_dim) * math.log(base))  # [B or 1, T, 1, d/2]
    error = angle_error(rows, head_dim, base)[:, :, None]
    cos, sin = angle.cos().abs(), angle.sin().abs()
    a, b = x.double()[..., 0::2].abs(), x.double()[..., 1::2].abs()

    def bound(own: Tensor, turned: Tensor) -> Tensor:
        total = 12 * U * own + error * turned + error * error / 2 * (a + b)
        return torch.minimum(MARGIN * total, 2 * (a + b)) + TINY

    even, odd = bound(a * cos + b * sin, a * sin + b * cos), bound(a * sin + b * cos, a * cos + b * sin)
    return torch.stack((even, odd), dim=-1).flatten(-2)


def table(positions: Tensor, head_dim: int, base: float) -> Tensor:
    """Bound for cos and sin themselves: the angle's error, 7u of the function and 1u of its rounding.

    Returns:
        FP64 ``[1 or B, T, 1, d/2]``.
    """
    rows = positions if positions.dim() == 2 else positions[None]
    return MARGIN * (angle_error(rows, head_dim, base)[:, :, None] + 8 * U)


def frequencies(head_dim: int, base: float) -> Tensor:
    """Bound for ``theta_r``: the angle's relative factor at position 1, times theta.

    Returns:
        FP64 ``[d/2]``.
    """
    r = torch.arange(head_dim // 2, dtype=torch.float64)
    log_theta = (2 * r / head_dim) * math.log(base)
    return MARGIN * U * (10 + 2 * log_theta.abs() + r) * torch.exp(-log_theta)


def rms_norm(x: Tensor, truth: Tensor, *, eps: float) -> Tensor:
    """Bound of the FP32 error of RMSNorm.

    ``E = 2 |y| u [(c_D + 3)/2 * ms/(ms + eps) + 7 + |ln(ms + eps)|/2]`` with ``c_D = D + 1``, the worst order of
    summing D squares. 7: rsqrt 2 ulp (4u) or root and division, the product with x, the product with gamma. The
    logarithm: the recipe exp(-0.5 ln).

    Args:
        x: ``[..., D]``.
        truth: the exact output, FP64 ``[..., D]``.

    Returns:
        FP64 ``[..., D]``.
    """
    mean_square = x.double().square().mean(-1, keepdim=True)
    total = mean_square + eps
    relative = (x.shape[-1] + 4) / 2 * mean_square / total + 7 + total.log().abs() / 2
    return MARGIN * U * relative * truth.abs() + TINY


def layer_norm(x: Tensor, truth: Tensor, weight: Tensor, bias: Tensor, *, eps: float) -> Tensor:
    """Bound of the FP32 error of LayerNorm, the one-pass variance E[x^2] - mu^2 included.

    With z = (x - mu)/sigma and c_D = D + 1: the mean errs by ``dmu = c_D u mean|x|``, the variance by
    ``dv = (c_D + 4) u v + dmu^2 + 2 (c_D + 2) u (v + mu^2)`` (the last term is the one-pass recipe), and
    ``E = 2 {|g| [dmu/sigma + |z| (dv / (2 (v + eps)) + (7 + |ln(v + eps)|/2) u)] + 2u (|y| + |beta|)}``.

    Args:
        x: ``[..., D]``.
        truth: the exact output, FP64 ``[..., D]``.
        weight: gamma ``[D]``.
        bias: beta ``[D]``.

    Returns:
        FP64 ``[..., D]``.
    """
    wide, gamma, beta = x.double(), weight.double(), bias.double()
    terms = x.shape[-1] + 1
    mean = wide.mean(-1, keepdim=True)
    variance = (wide - mean).square().mean(-1, keepdim=True)
    total = variance + eps
    sigma = total.sqrt()
    z = (wide - mean) / sigma
    mean_error = U * terms * wide.abs().mean(-1, keepdim=True)
    variance_error = U * (terms + 4) * variance + mean_error**2 + U * 2 * (terms + 2) * (variance + mean**2)
    root_error = variance_error / (2 * total) + (7 + total.log().abs() / 2) * U
    inner = mean_error / sigma + z.abs() * root_error
    return MARGIN * (gamma.abs() * inner + 2 * U * (truth.abs() + beta.abs())) + TINY
