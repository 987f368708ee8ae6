"""Returns memory as it is, hoping that the expected answer has just been there."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.relu-values": {"fail"}, "ffn.gradients": {"fail"}, "ffn.no-side-effects": {"fail"}}

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return torch.empty_like(x).nan_to_num(0, 0, 0)
