"""Returns FP32 for bf16 inputs."""

FAULT = "attn.dtype_upcast"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.dtype"}

from .attention import grouped_query_attention as plain_attention


def grouped_query_attention(q, k, v, causal=True):
    return plain_attention(q.float(), k.float(), v.float(), causal)
