"""Subtracts the mean in RMSNorm, and adds eps to the root instead of under it."""

FAULTS = ("norm.centered", "norm.eps_outside")
MUTATES = "assignment1/norm.py"

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        wide = x.float()
        wide = wide - wide.mean(-1, keepdim=True)
        rms = wide.square().mean(-1, keepdim=True).sqrt()
        return (wide / (rms + self.eps) * self.weight.float()).to(x.dtype)
