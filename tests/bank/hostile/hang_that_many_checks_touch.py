"""Hangs in a layer that several checks call."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"timeout"},
    "ffn.dtype": {"timeout"},
    "ffn.gradients": {"timeout"},
    "ffn.no-side-effects": {"timeout"},
}

import time

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        time.sleep(3600)
        return super().forward(x)
