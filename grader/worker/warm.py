"""What torch does once in a process, done before workers are forked: they have it then from the start.

The first product of two matrices chooses and prepares its kernels, for each dtype; a first call of most functions looks
something up. Together that is as long as a fork takes. Nothing here starts a thread or touches a GPU, neither of which
survives a fork: so no backward pass.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


def warm_up() -> None:
    """Call what submissions call, on a few numbers. The streams of chance go on as if nothing had been drawn."""
    with torch.random.fork_rng(devices=[]):
        _call_everything()


def _call_everything() -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        x = torch.randn(2, 4, 8).to(dtype)
        heads = x.view(2, 4, 2, 4).transpose(1, 2)
        scores = torch.matmul(heads, heads.transpose(-1, -2))
        weights = scores.masked_fill(torch.ones(4, 4, dtype=torch.bool).triu(1), float("-inf")).softmax(-1)
        mixed = torch.einsum("bhts,bhsd->bthd", weights, heads).reshape(2, 4, 8)
        functional.silu(functional.linear(mixed, torch.eye(8, dtype=dtype))).mul(x)
        torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5).to(torch.float32)
        functional.layer_norm(x, (8,))
        x.var(-1, unbiased=False)
    angles = torch.outer(torch.arange(4).float(), 10000.0 ** -(torch.arange(0, 8, 2).float() / 8))
    turned = torch.view_as_complex(torch.ones(4, 4, 2)) * torch.polar(torch.ones(4, 4), angles)
    torch.stack([angles.cos(), angles.sin()], -1).flatten(-2).repeat_interleave(2, 0)
    torch.cat([torch.view_as_real(turned).flatten(-2)] * 2)
    module = nn.Linear(2, 2, bias=False)
    module(torch.ones(1, 2))
    torch.equal(module.weight, module.weight)
