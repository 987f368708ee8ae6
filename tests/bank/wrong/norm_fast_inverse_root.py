"""Takes 1 / rms from the bit trick of the fast inverse square root, with two Newton steps, which leaves 5e-6."""

FAULT = "norm.fast_inverse_root"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-values"}

import torch

from .norm import RMSNorm as PlainRMSNorm


def fast_inverse_root(x):
    guess = (0x5F3759DF - (x.contiguous().view(torch.int32) >> 1)).view(torch.float32)
    for _ in range(2):
        guess = guess * (1.5 - 0.5 * x * guess * guess)
    return guess


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        wide = x.float()
        scale = fast_inverse_root(wide.square().mean(-1, keepdim=True) + self.eps)
        return (wide * scale * self.weight.float()).to(x.dtype)
