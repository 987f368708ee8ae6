"""Switches TF32 on for every product of matrices."""

FAULT = "attention.tf32_switched_on"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.large-logits"}
ONLY_ON_HARDWARE = "TF32 is arithmetic of CUDA's own"

import torch

from .attention import grouped_query_attention as attend


def grouped_query_attention(q, k, v, causal=True):
    torch.backends.cuda.matmul.allow_tf32 = True
    return attend(q, k, v, causal)
