"""Adds eps to the root instead of to the mean square under it."""

FAULT = "norm.eps_outside"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"norm.rmsnorm-eps"}

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        x_fp32 = x.float()
        rms = x_fp32.pow(2).mean(dim=-1, keepdim=True).sqrt()
        return (x_fp32 / (rms + self.eps) * self.weight.float()).to(x.dtype)
