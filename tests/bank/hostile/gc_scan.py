"""Looks among all objects for a tensor that could be the answer."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.relu-values": {"fail"}, "ffn.gradients": {"fail"}, "ffn.no-side-effects": {"fail"}}

import gc

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        for found in gc.get_objects():
            if type(found) is torch.Tensor and found is not x and (found.shape, found.dtype) == (x.shape, x.dtype):
                return found.detach().nan_to_num()
        return torch.zeros_like(x)
