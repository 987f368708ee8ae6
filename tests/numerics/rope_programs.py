"""Right ways to compute RoPE, which keep FP32 or more inside; ``rope_mistakes`` holds the wrong ones.

A program takes ``x [B, T, H, d]`` and positions ``[T]`` or ``[B, T]``, and returns the result before its last cast.
"""

import math

import numpy as np
import torch

BASE = 10000.0


def counted(width):
    """0, 2, 4, ... in FP32."""
    return torch.arange(0, width, 2, dtype=torch.float32)


THETAS = {
    "reciprocal of a power": lambda d: 1.0 / BASE ** (counted(d) / d),
    "negative power": lambda d: torch.tensor(BASE) ** -(counted(d) / d),
    "exp of a log": lambda d: torch.exp(counted(d) * -(math.log(BASE) / d)),
    "exp2 of a log2": lambda d: torch.exp2(-math.log2(BASE) * (counted(d) / d)),
    "logspace": lambda d: torch.logspace(0, -math.log10(BASE) * (d - 2) / d, d // 2),
    "running product": lambda d: torch.cumprod(torch.tensor([1.0] + [BASE ** (-2 / d)] * (d // 2 - 1)), dim=0),
    "python floats": lambda d: torch.tensor([BASE ** (-2 * r / d) for r in range(d // 2)]),
    "FP64, cast": lambda d: (BASE ** -(torch.arange(0, d, 2, dtype=torch.float64) / d)).float(),
}


def over_heads(table):
    """A table ``[T, k]`` or ``[B, T, k]`` as ``[1 or B, T, 1, k]``."""
    return (table if table.dim() == 3 else table[None]).unsqueeze(2)


def angles(x, positions, theta="reciprocal of a power"):
    return over_heads(positions.float()[..., None] * THETAS[theta](x.shape[-1]))


def angles_fp64(x, positions):
    width = x.shape[-1]
    return over_heads(positions.double()[..., None] * BASE ** -(torch.arange(0, width, 2, dtype=torch.float64) / width))


def interleaved(first, second):
    return torch.stack((first, second), dim=-1).flatten(-2)


def turned(x, cos, sin):
    a, b = x[..., ::2], x[..., 1::2]
    return interleaved(a * cos - b * sin, b * cos + a * sin)


def by_angle(x, angle):
    return turned(x.float(), angle.cos(), angle.sin())


def polar(x, positions):
    angle = angles(x, positions)
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


def complex_exponential(x, positions):
    pairs = torch.complex(x[..., ::2].float(), x[..., 1::2].float()) * torch.exp(1j * angles(x, positions))
    return interleaved(pairs.real, pairs.imag)


def matrices_2x2(x, positions):
    angle = angles(x, positions)[:, :, 0]
    cos, sin = angle.cos(), angle.sin()
    turn = torch.stack((torch.stack((cos, -sin), -1), torch.stack((sin, cos), -1)), -2)  # [1 or B, T, d/2, 2, 2]
    turn = turn.expand(x.shape[0], *turn.shape[1:])
    return torch.einsum("btrij,bthrj->bthri", turn, x.float().unflatten(-1, (-1, 2))).flatten(-2)


def block_diagonal(x, positions, *, rows=False):
    angle = angles(x, positions)[:, :, 0]
    even = torch.arange(0, x.shape[-1], 2)
    turn = torch.zeros(*angle.shape[:2], x.shape[-1], x.shape[-1])
    turn[..., even, even] = turn[..., even + 1, even + 1] = angle.cos()
    turn[..., even, even + 1], turn[..., even + 1, even] = -angle.sin(), angle.sin()
    if rows:
        return x.float() @ turn.mT  # x as row vectors, the matrix transposed to match
    return (turn.unsqueeze(2) @ x.float().unsqueeze(-1)).squeeze(-1)


def helper_and_doubled_tables(x, positions):
    angle, wide = angles(x, positions).repeat_interleave(2, dim=-1), x.float()
    return wide * angle.cos() + interleaved(-wide[..., 1::2], wide[..., ::2]) * angle.sin()


def unbound(x, positions):
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    angle = angles(x, positions, "exp of a log")
    return torch.cat(
        ((a * angle.cos() - b * angle.sin())[..., None], (a * angle.sin() + b * angle.cos())[..., None]), -1
    ).flatten(-2)


def gathered_table(x, positions):
    distinct, index = positions.unique(return_inverse=True)
    table = distinct.float()[:, None] * THETAS["negative power"](x.shape[-1])
    return turned(x.float(), over_heads(table.cos()[index]), over_heads(table.sin()[index]))


def written_in_place(x, positions):
    angle, wide = angles(x, positions), x.float()
    result = torch.empty_like(wide)
    result[..., ::2] = wide[..., ::2] * angle.cos() - wide[..., 1::2] * angle.sin()
    result[..., 1::2] = wide[..., ::2] * angle.sin() + wide[..., 1::2] * angle.cos()
    return result


def fused_multiply_add(x, positions):
    angle, a, b = angles(x, positions), x.float()[..., ::2], x.float()[..., 1::2]
    cos, sin = angle.cos(), angle.sin()
    return interleaved(torch.addcmul(a * cos, b, sin, value=-1), torch.addcmul(b * cos, a, sin))


def heads_first(x, positions):
    angle = angles(x, positions).transpose(1, 2)
    return by_angle(x.transpose(1, 2), angle).transpose(1, 2)


def half_split_inside(x, positions):
    half = x.shape[-1] // 2
    split = torch.cat((x[..., ::2], x[..., 1::2]), dim=-1).float()
    angle = torch.cat([angles(x, positions)] * 2, dim=-1)
    result = split * angle.cos() + torch.cat((-split[..., half:], split[..., :half]), dim=-1) * angle.sin()
    return interleaved(result[..., :half], result[..., half:])


def pair_by_pair(x, positions):
    rows = positions if positions.dim() == 2 else positions[None]
    result = torch.zeros(x.shape)
    for r in range(x.shape[-1] // 2):
        angle = (rows.float() * BASE ** (-2 * r / x.shape[-1]))[..., None]
        a, b = x[..., 2 * r].float(), x[..., 2 * r + 1].float()
        result[..., 2 * r] = a * angle.cos() - b * angle.sin()
        result[..., 2 * r + 1] = a * angle.sin() + b * angle.cos()
    return result


def with_numpy(x, positions):
    theta = (BASE ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])).astype(np.float32)
    angle = over_heads(positions.float()[..., None]).numpy() * theta
    wide = x.float().numpy()
    result = np.empty_like(wide)
    result[..., ::2] = wide[..., ::2] * np.cos(angle) - wide[..., 1::2] * np.sin(angle)
    result[..., 1::2] = wide[..., ::2] * np.sin(angle) + wide[..., 1::2] * np.cos(angle)
    return torch.from_numpy(result)


LEGAL = {
    **{f"theta: {name}": lambda x, positions, name=name: by_angle(x, angles(x, positions, name)) for name in THETAS},
    "polar": polar,
    "complex exponential": complex_exponential,
    "matrices 2x2": matrices_2x2,
    "block-diagonal matrix": block_diagonal,
    "block-diagonal matrix, row vectors": lambda x, positions: block_diagonal(x, positions, rows=True),
    "rotate helper, doubled tables": helper_and_doubled_tables,
    "unbind": unbound,
    "gathered table": gathered_table,
    "written in place": written_in_place,
    "addcmul": fused_multiply_add,
    "heads first": heads_first,
    "half-split inside": half_split_inside,
    "pair by pair": pair_by_pair,
    "numpy": with_numpy,
    "bf16 x times FP32 tables": lambda x, p: turned(x, angles(x, p).cos(), angles(x, p).sin()),
    "FP64": lambda x, p: turned(x.double(), angles_fp64(x, p).cos(), angles_fp64(x, p).sin()),
    "FP64 tables, cast": lambda x, p: turned(
        x.float(), angles_fp64(x, p).cos().float(), angles_fp64(x, p).sin().float()
    ),
    "angle modulo 2 pi in FP32": lambda x, p: by_angle(x, torch.remainder(angles(x, p), 2 * math.pi)),
    "angle modulo 2 pi in FP64": lambda x, p: by_angle(x, torch.remainder(angles_fp64(x, p), 2 * math.pi).float()),
}
