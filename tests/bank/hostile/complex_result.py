"""Returns the right values as complex numbers."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"student_error"},
    "ffn.dtype": {"student_error"},
    "ffn.gradients": {"student_error"},
    "ffn.no-side-effects": {"student_error"},
}

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return super().forward(x).float().to(torch.complex64)
