"""Keeps the RoPE frequencies in a buffer, which module.to(torch.bfloat16) rounds."""

FAULT = "gqa.frequency_buffer"
MUTATES = "assignment1/attention.py"
KILLED_BY = set()

from .attention import GroupedQueryAttention as PlainAttention
from .attention import grouped_query_attention
from .rope import check_positions, rope_frequencies, rotate_pairs


class GroupedQueryAttention(PlainAttention):
    def __init__(self, dim, n_heads, n_kv_heads, base=10000.0):
        super().__init__(dim, n_heads, n_kv_heads, base)
        self.register_buffer("theta", rope_frequencies(self.head_dim, base), persistent=False)

    def rotate(self, x, positions):
        check_positions(x, positions)
        angle = (positions.unsqueeze(-1) * self.theta.float()).unsqueeze(-2)  # [T or B T, 1, d/2]
        return rotate_pairs(x.float(), angle.cos(), angle.sin()).to(x.dtype)

    def forward(self, x, positions=None, cache=None):
        q, k, v = self.project(x)
        positions = self.choose_positions(x, positions, cache)
        q, k = self.rotate(q, positions), self.rotate(k, positions)
        if cache is not None:
            k, v = cache.append(k, v)
        return self.w_o(grouped_query_attention(q, k, v).flatten(2))
