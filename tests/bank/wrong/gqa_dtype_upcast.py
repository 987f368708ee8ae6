"""Returns FP32 for bf16 inputs."""

FAULT = "gqa.dtype_upcast"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.dtype"}

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def forward(self, x, positions=None, cache=None):
        return super().forward(x, positions, cache).float()
