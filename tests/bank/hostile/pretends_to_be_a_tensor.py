"""Returns an object that claims the class of tensors."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"student_error"},
    "ffn.dtype": {"student_error"},
    "ffn.gradients": {"student_error"},
    "ffn.no-side-effects": {"student_error"},
}

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class Pretender:
    __class__ = torch.Tensor

    def numel(self):
        return 0

    def element_size(self):
        return 4

    def detach(self):
        return self


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return Pretender()
