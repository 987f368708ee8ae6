"""Uses a sigmoid on the gate branch, which makes it the original GLU."""

FAULT = "swiglu.sigmoid_gate"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.swiglu-values", "ffn.swiglu-gate"}

import torch

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def forward(self, x):
        return self.w_down(torch.sigmoid(self.w_gate(x)) * self.w_up(x))
