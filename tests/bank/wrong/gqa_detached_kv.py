"""Detaches K and V before attention, so w_k and w_v are never trained."""

FAULT = "gqa.detached_kv"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.gradients"}

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def project(self, x):
        q, k, v = super().project(x)
        return q, k.detach(), v.detach()
