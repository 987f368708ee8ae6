"""Brings the result of attention to the CPU."""

FAULT = "attention.output_on_cpu"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"device.output"}

from .attention import grouped_query_attention as attend


def grouped_query_attention(q, k, v, causal=True):
    return attend(q, k, v, causal).cpu()
