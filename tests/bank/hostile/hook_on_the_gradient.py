"""Hangs a hook on the gradient that leaves the process."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.gradients": {"crash"}}

import os

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        y = super().forward(x)
        if x.requires_grad:
            y.register_hook(lambda _: os._exit(0))
        return y
