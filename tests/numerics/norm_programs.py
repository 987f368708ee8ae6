"""Ways to compute RMSNorm and LayerNorm: LEGAL ones with FP32 or more inside, and ROUNDED ones that lose precision.

A legal program returns the result before its last cast. A rounded one returns bf16. RMSNorm programs take
``(x, weight, eps)``, LayerNorm programs ``(x, weight, bias, eps)``; the parameters are FP32.
"""

import math

import torch
from numerics.rope_mistakes import BF16, FP16, tf32, truncated
from torch.nn import functional


def mean_square(x):
    return x.square().mean(-1, keepdim=True)


def one_by_one(terms, dtype=torch.float32):
    """A sum over the last axis in the order of the features, each partial sum stored in ``dtype``."""
    total = torch.zeros(terms.shape[:-1], dtype=dtype)
    for term in terms.unbind(-1):
        total = (total + term).to(dtype)
    return total[..., None]


def rms(scale, widen=torch.Tensor.float):
    """x times a scale that depends on the row, times weight, in FP32 (or what ``widen`` makes)."""
    return lambda x, weight, eps: widen(x) * scale(widen(x), eps) * widen(weight)


LEGAL_RMS = {
    "rsqrt of the mean": rms(lambda x, eps: torch.rsqrt(mean_square(x) + eps)),
    "quotient by a root": lambda x, w, eps: x.float() / torch.sqrt(mean_square(x.float()) + eps) * w,
    "reciprocal of a root": rms(lambda x, eps: 1 / (mean_square(x) + eps).sqrt()),
    "power -0.5": rms(lambda x, eps: (mean_square(x) + eps) ** -0.5),
    "exp of a log": rms(lambda x, eps: torch.exp(-0.5 * torch.log(mean_square(x) + eps))),
    "sum over D": rms(lambda x, eps: torch.rsqrt(x.pow(2).sum(-1, keepdim=True) / x.shape[-1] + eps)),
    "vector norm": rms(lambda x, eps: torch.rsqrt(x.norm(dim=-1, keepdim=True) ** 2 / x.shape[-1] + eps)),
    "einsum": rms(lambda x, eps: torch.rsqrt(torch.einsum("...d,...d->...", x, x)[..., None] / x.shape[-1] + eps)),
    "matrix product": rms(lambda x, eps: torch.rsqrt((x[..., None, :] @ x[..., None])[..., 0] / x.shape[-1] + eps)),
    "one by one": rms(lambda x, eps: torch.rsqrt(one_by_one(x * x) / x.shape[-1] + eps)),
    "running sum": rms(lambda x, eps: torch.rsqrt((x * x).cumsum(-1)[..., -1:] / x.shape[-1] + eps)),
    "weight first": lambda x, w, eps: (w * x.float()) * torch.rsqrt(mean_square(x.float()) + eps),
    "bf16 x times FP32 scale": lambda x, w, eps: x * torch.rsqrt(mean_square(x.float()) + eps) * w,
    "torch": lambda x, w, eps: functional.rms_norm(x.float(), (x.shape[-1],), w, eps),
    "FP64": rms(lambda x, eps: torch.rsqrt(mean_square(x) + eps), torch.Tensor.double),
}


def rounded_rms(scale):
    """An FP32 program but for its scale, which ``scale`` computes from the bf16 x."""
    return lambda x, weight, eps: (x.float() * scale(x, eps).float() * weight).to(BF16)


def plain_rms(x, weight, eps):
    return LEGAL_RMS["rsqrt of the mean"](x, weight, eps)


ROUNDED_RMS = {
    "everything in bf16": lambda x, w, eps: x * torch.rsqrt(mean_square(x) + eps) * w.to(BF16),
    "everything in FP16": lambda x, w, eps: plain_half(x, w, eps).to(BF16),
    "squares in bf16": rounded_rms(lambda x, eps: torch.rsqrt((x * x).float().mean(-1, keepdim=True) + eps)),
    "mean square in bf16": rounded_rms(lambda x, eps: torch.rsqrt(mean_square(x.float()).to(BF16).float() + eps)),
    "root in bf16": rounded_rms(lambda x, eps: torch.rsqrt(mean_square(x.float()) + eps).to(BF16)),
    "root in FP16": rounded_rms(lambda x, eps: torch.rsqrt(mean_square(x.float()) + eps).to(FP16)),
    "root in TF32": rounded_rms(lambda x, eps: tf32(torch.rsqrt(mean_square(x.float()) + eps))),
    "sum one by one in bf16": rounded_rms(
        lambda x, eps: torch.rsqrt(one_by_one(x.float() ** 2, BF16).float() / x.shape[-1] + eps)
    ),
    "norm in bf16": lambda x, w, eps: x / (x.norm(dim=-1, keepdim=True) / math.sqrt(x.shape[-1]) + eps) * w.to(BF16),
    "eps in bf16": lambda x, w, eps: plain_rms(x, w, float(torch.tensor(eps).to(BF16))).to(BF16),
    "FP32 through FP16 to bf16": lambda x, w, eps: plain_rms(x, w, eps).to(FP16).to(BF16),
    "truncated": lambda x, w, eps: truncated(plain_rms(x, w, eps)),
}


def plain_half(x, weight, eps):
    half = x.to(FP16)
    return half * torch.rsqrt(mean_square(half) + eps) * weight.to(FP16)


def centred(x):
    return x - x.mean(-1, keepdim=True)


def layer(root, widen=torch.Tensor.float):
    """The centred x times a root that depends on the row, times weight, plus bias."""
    return lambda x, w, b, eps: centred(widen(x)) * root(widen(x), eps) * widen(w) + widen(b)


def one_pass(x, eps):
    return torch.rsqrt(mean_square(x) - x.mean(-1, keepdim=True) ** 2 + eps)


def centring_matrix(x, w, b, eps):
    width = x.shape[-1]
    deviation = x.float() @ (torch.eye(width) - 1 / width)
    return deviation * torch.rsqrt(mean_square(deviation) + eps) * w + b


def sums_one_by_one(x, w, b, eps):
    deviation = x.float() - one_by_one(x.float()) / x.shape[-1]
    return deviation * torch.rsqrt(one_by_one(deviation**2) / x.shape[-1] + eps) * w + b


LEGAL_LAYER = {
    "two passes": layer(lambda x, eps: torch.rsqrt(mean_square(centred(x)) + eps)),
    "one pass": layer(one_pass),
    "biased var": layer(lambda x, eps: 1 / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + eps)),
    "biased std": layer(lambda x, eps: 1 / torch.sqrt(x.std(-1, keepdim=True, correction=0) ** 2 + eps)),
    "quotient by a root": lambda x, w, b, eps: (
        centred(x.float()) / torch.sqrt(mean_square(centred(x.float())) + eps) * w + b
    ),
    "addcmul": lambda x, w, b, eps: torch.addcmul(
        b, centred(x.float()) * torch.rsqrt(mean_square(centred(x.float())) + eps), w
    ),
    "centring matrix": centring_matrix,
    "sums one by one": sums_one_by_one,
    "torch": lambda x, w, b, eps: functional.layer_norm(x.float(), (x.shape[-1],), w, b, eps),
    "FP64": layer(lambda x, eps: torch.rsqrt(mean_square(centred(x)) + eps), torch.Tensor.double),
}


def plain_layer(x, w, b, eps):
    return LEGAL_LAYER["two passes"](x, w, b, eps)


def from_parts(deviation, root, w, b):
    return (deviation.float() * root.float() * w + b).to(BF16)


def root_of(deviation, eps):
    return torch.rsqrt(mean_square(deviation) + eps)


def mean_rounded(x, w, b, eps):
    deviation = x.float() - x.float().mean(-1, keepdim=True).to(BF16).float()
    return from_parts(deviation, root_of(deviation, eps), w, b)


def deviation_rounded(x, w, b, eps):
    deviation = centred(x.float()).to(BF16).float()
    return from_parts(deviation, root_of(deviation, eps), w, b)


def variance_rounded(x, w, b, eps):
    deviation = centred(x.float())
    return from_parts(deviation, torch.rsqrt(mean_square(deviation).to(BF16).float() + eps), w, b)


def root_rounded(x, w, b, eps):
    deviation = centred(x.float())
    return from_parts(deviation, root_of(deviation, eps).to(BF16), w, b)


def all_in(dtype):
    def program(x, w, b, eps):
        deviation = centred(x.to(dtype))
        return (deviation * root_of(deviation, eps) * w.to(dtype) + b.to(dtype)).to(BF16)

    return program


ROUNDED_LAYER = {
    "everything in bf16": all_in(BF16),
    "everything in FP16": all_in(FP16),
    "one pass in bf16": lambda x, w, b, eps: centred(x) * one_pass(x, eps) * w.to(BF16) + b.to(BF16),
    "mean in bf16": mean_rounded,
    "deviation in bf16": deviation_rounded,
    "variance in bf16": variance_rounded,
    "root in bf16": root_rounded,
    "FP32 through FP16 to bf16": lambda x, w, b, eps: plain_layer(x, w, b, eps).to(FP16).to(BF16),
    "truncated": lambda x, w, b, eps: truncated(plain_layer(x, w, b, eps)),
}
