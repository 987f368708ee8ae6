"""Wrong ways to compute RoPE: ROUNDED ones lose precision somewhere and return bf16, MISTAKEN ones rotate otherwise."""

import torch
from numerics.rope_programs import (
    BASE,
    THETAS,
    angles,
    block_diagonal,
    by_angle,
    counted,
    interleaved,
    over_heads,
    turned,
)

BF16, FP16 = torch.bfloat16, torch.float16


def tf32(values):
    """FP32 with the 10 explicit bits of TF32, to nearest even."""
    bits = values.contiguous().view(torch.int32)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


def truncated(values):
    """bf16 by dropping bits."""
    return (values.contiguous().view(torch.int32) & ~0xFFFF).view(torch.float32).to(BF16)


def tables_through(change):
    return lambda x, p: turned(x.float(), change(angles(x, p).cos()), change(angles(x, p).sin())).to(BF16)


def angle_through(dtype):
    return lambda x, p: by_angle(x, angles(x, p).to(dtype).float()).to(BF16)


def positions_through(dtype):
    return lambda x, p: by_angle(x, angles(x, p.to(dtype))).to(BF16)


def theta_through(dtype):
    def program(x, positions):
        theta = THETAS["reciprocal of a power"](x.shape[-1]).to(dtype).float()
        return by_angle(x, over_heads(positions.float()[..., None] * theta)).to(BF16)

    return program


def products_through(dtype):
    def program(x, positions):
        angle, a, b = angles(x, positions), x.float()[..., ::2], x.float()[..., 1::2]
        ac, bs, bc, as_ = (
            term.to(dtype) for term in (a * angle.cos(), b * angle.sin(), b * angle.cos(), a * angle.sin())
        )
        return interleaved(ac.float() - bs.float(), bc.float() + as_.float()).to(BF16)

    return program


def all_in(dtype):
    return lambda x, p: turned(x.to(dtype), angles(x, p).cos().to(dtype), angles(x, p).sin().to(dtype)).to(BF16)


def under_autocast(x, positions):
    with torch.autocast("cpu", BF16):
        return block_diagonal(x, positions).to(BF16)


ROUNDED = {
    "tables in bf16": tables_through(lambda table: table.to(BF16).float()),
    "tables in FP16": tables_through(lambda table: table.to(FP16).float()),
    "tables in TF32": tables_through(tf32),
    "everything in bf16": all_in(BF16),
    "everything in FP16": all_in(FP16),
    "products in bf16": products_through(BF16),
    "products in FP16": products_through(FP16),
    "positions in bf16": positions_through(BF16),
    "positions in FP16": positions_through(FP16),
    "frequencies in bf16": theta_through(BF16),
    "frequencies in FP16": theta_through(FP16),
    "angle in bf16": angle_through(BF16),
    "angle in FP16": angle_through(FP16),
    "matrix product under autocast": under_autocast,
    "FP32 through FP16 to bf16": lambda x, p: by_angle(x, angles(x, p)).to(FP16).to(BF16),
    "truncated": lambda x, p: truncated(by_angle(x, angles(x, p))),
}


def half_split(x, positions):
    half = x.shape[-1] // 2
    angle, wide = torch.cat([angles(x, positions)] * 2, dim=-1), x.float()
    return wide * angle.cos() + torch.cat((-wide[..., half:], wide[..., :half]), dim=-1) * angle.sin()


def concatenated(x, positions):
    result = by_angle(x, angles(x, positions))
    return torch.cat((result[..., ::2], result[..., 1::2]), dim=-1)


def with_theta(theta):
    return lambda x, p: by_angle(x, over_heads(p.float()[..., None] * theta(x.shape[-1])))


MISTAKEN = {
    "half-split": half_split,
    "other sign": lambda x, p: by_angle(x, -angles(x, p)),
    "concatenated": concatenated,
    "exponent r/d": with_theta(lambda d: BASE ** -(torch.arange(d // 2) / d)),
    "exponent 4r/d": with_theta(lambda d: BASE ** -(2 * counted(d) / d)),
    "base 1000": with_theta(lambda d: 1000.0 ** -(counted(d) / d)),
    "base 500000": with_theta(lambda d: 500000.0 ** -(counted(d) / d)),
    "reversed frequencies": with_theta(lambda d: THETAS["negative power"](d).flip(0)),
    "positions from 1": lambda x, p: by_angle(x, angles(x, p + 1)),
    "positions ignored": lambda x, p: by_angle(x, angles(x, torch.arange(len(p)))),
    "degrees": lambda x, p: by_angle(x, torch.deg2rad(angles(x, p))),
    "cos and sin exchanged": lambda x, p: turned(x.float(), angles(x, p).sin(), angles(x, p).cos()),
    "turned twice": lambda x, p: by_angle(x, 2 * angles(x, p)),
    "heads for tokens": lambda x, p: by_angle(x.transpose(1, 2), angles(x, p[: x.shape[2]])).transpose(1, 2),
}
