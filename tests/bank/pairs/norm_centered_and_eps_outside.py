"""Divides RMSNorm by the standard deviation, and adds eps to it instead of under the root."""

FAULTS = ("norm.centered", "norm.eps_outside")
MUTATES = "assignment1/norm.py"

from .norm import RMSNorm as PlainRMSNorm


class RMSNorm(PlainRMSNorm):
    def forward(self, x):
        wide = x.float()
        deviation = wide.std(-1, keepdim=True, unbiased=False)
        return (wide / (deviation + self.eps) * self.weight.float()).to(x.dtype)
