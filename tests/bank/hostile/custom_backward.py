"""Gives the right values, and a gradient of its own making."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.gradients": {"fail"}}

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class Flat(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y):
        return y.clone()

    @staticmethod
    def backward(ctx, grad):
        return torch.ones_like(grad)


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return Flat.apply(super().forward(x))
