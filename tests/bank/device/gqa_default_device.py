"""Makes the input's device the default device of the whole process on every call."""

FAULT = "gqa.default_device"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"device.defaults"}

import torch

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def forward(self, x, positions=None, cache=None):
        torch.set_default_device(x.device)
        return super().forward(x, positions, cache)
