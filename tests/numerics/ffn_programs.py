"""Ways to compute SwiGLU and a pre-norm block: LEGAL ones and MISTAKEN ones.

A SwiGLU program takes ``x [..., D]`` and the weights as ``nn.Linear`` stores them, and returns x's dtype.
"""

import torch
from numerics.attention_programs import Decoder, sdpa
from torch import nn
from torch.nn.functional import gelu, hardswish, linear, mish, relu, rms_norm, silu


def gated(activation):
    return lambda x, gate, up, down: linear(activation(linear(x, gate)) * linear(x, up), down)


def fused(x, gate, up, down):
    opened, passed = linear(x, torch.cat((gate, up))).chunk(2, dim=-1)
    return linear(silu(opened) * passed, down)


def in_fp32(x, gate, up, down):
    return gated(silu)(*(part.float() for part in (x, gate, up, down))).to(x.dtype)


def activation_in_fp32(x, gate, up, down):
    return linear((silu(linear(x, gate).float()) * linear(x, up).float()).to(x.dtype), down)


def with_einsum(x, gate, up, down):
    product = silu(torch.einsum("...d,fd->...f", x, gate)) * torch.einsum("...d,fd->...f", x, up)
    return torch.einsum("...f,df->...d", product, down)


def in_parts(x, gate, up, down, part=5):
    cut = zip(gate.split(part), up.split(part), down.split(part, dim=1), strict=True)
    return sum(gated(silu)(x, *weights).float() for weights in cut).to(x.dtype)


LEGAL_SWIGLU = {
    "silu": gated(silu),
    "sigmoid": gated(lambda z: z * torch.sigmoid(z)),
    "exponential": gated(lambda z: z / (1 + torch.exp(-z))),
    "tanh": gated(lambda z: z * (0.5 + 0.5 * torch.tanh(z / 2))),
    "one fused product": fused,
    "in FP32": in_fp32,
    "activation in FP32": activation_in_fp32,
    "einsum": with_einsum,
    "features in parts": in_parts,
}

MISTAKEN_SWIGLU = {
    "branches exchanged": lambda x, gate, up, down: gated(silu)(x, up, gate, down),
    "relu": gated(relu),
    "gelu": gated(gelu),
    "gelu by tanh": gated(lambda z: gelu(z, approximate="tanh")),
    "sigmoid alone": gated(torch.sigmoid),
    "mish": gated(mish),
    "hardswish": gated(hardswish),
    "silu of 1.702 z": gated(lambda z: z * torch.sigmoid(1.702 * z)),
    "no gate": lambda x, gate, up, down: linear(silu(linear(x, up)), down),
    "silu of the product": lambda x, gate, up, down: linear(silu(linear(x, gate) * linear(x, up)), down),
    "sum for product": lambda x, gate, up, down: linear(silu(linear(x, gate)) + linear(x, up), down),
}


def norm_by_hand(x, weight, eps):
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps) * weight.float()).to(x.dtype)


def norm_by_torch(x, weight, eps):
    return rms_norm(x.float(), (x.shape[-1],), weight, eps).to(x.dtype)


class Block:
    """A right pre-norm block; see ``block`` for others."""

    norm = staticmethod(norm_by_hand)
    core = staticmethod(sdpa)
    ffn = staticmethod(gated(silu))

    def __init__(self, spec):
        self.weights, self.eps = spec.weights, float(spec.arguments.get("eps", 1e-6))
        inner = {name.removeprefix("attn."): value for name, value in spec.weights.items() if name.startswith("attn.")}
        self.layer = Decoder(type(spec)("GroupedQueryAttention", spec.arguments, inner), self.core)

    def normed(self, x, which):
        return self.norm(x, self.weights[f"{which}_norm.weight"], self.eps)

    def attended(self, x):
        return self.layer(x, (x.shape[1],))

    def fed(self, x):
        return self.ffn(x, *(self.weights[f"ffn.w_{name}.weight"] for name in ("gate", "up", "down")))

    def wired(self, x):
        u = x + self.attended(self.normed(x, "attn"))
        return u + self.fed(self.normed(u, "ffn"))


def block(**parts):
    return type(
        "Variant", (Block,), {name: value if name == "wired" else staticmethod(value) for name, value in parts.items()}
    )


LEGAL_BLOCKS = {
    "by hand": Block,
    "torch's norm, fused product": block(norm=norm_by_torch, ffn=fused),
    "FP32 feed-forward": block(ffn=in_fp32),
}


def post_norm(self, x):
    u = self.normed(x + self.attended(x), "attn")
    return self.normed(u + self.fed(u), "ffn")


def residual_from_norm(self, x):
    first = self.normed(x, "attn")
    u = first + self.attended(first)
    second = self.normed(u, "ffn")
    return second + self.fed(second)


def shared_norm(self, x):
    u = x + self.attended(self.normed(x, "attn"))
    return u + self.fed(self.normed(u, "attn"))


def parallel(self, x):
    return x + self.attended(self.normed(x, "attn")) + self.fed(self.normed(x, "ffn"))


def feed_forward_first(self, x):
    u = x + self.fed(self.normed(x, "ffn"))
    return u + self.attended(self.normed(u, "attn"))


def no_residual(self, x):
    return self.fed(self.normed(self.attended(self.normed(x, "attn")), "ffn"))


def layer_norms(x, weight, eps):
    return nn.functional.layer_norm(x.float(), (x.shape[-1],), weight, None, eps).to(x.dtype)


MISTAKEN_BLOCKS = {
    "post-norm": block(wired=post_norm),
    "residual from the norm": block(wired=residual_from_norm),
    "one norm for both": block(wired=shared_norm),
    "parallel": block(wired=parallel),
    "feed-forward first": block(wired=feed_forward_first),
    "no residual": block(wired=no_residual),
    "LayerNorm": block(norm=layer_norms),
}
