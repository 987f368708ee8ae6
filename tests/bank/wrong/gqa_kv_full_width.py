"""Makes w_k and w_v as wide as w_q and uses only the first heads of what they give."""

FAULT = "gqa.kv_full_width"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"gqa.parameters"}

from torch import nn

from .attention import GroupedQueryAttention as PlainAttention


class GroupedQueryAttention(PlainAttention):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__(dim, n_heads, n_kv_heads, base)
        self.w_k = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.w_v = nn.Linear(dim, n_heads * self.head_dim, bias=False)

    def project(self, x):
        q, k, v = (w(x).unflatten(-1, (self.n_heads, self.head_dim)) for w in (self.w_q, self.w_k, self.w_v))
        return q, k[:, :, : self.n_kv_heads], v[:, :, : self.n_kv_heads]
