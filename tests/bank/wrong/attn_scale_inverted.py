"""Multiplies the scores by the root of the head width instead of dividing."""

FAULT = "attn.scale_inverted"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.values"}

import math


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) * math.sqrt(q.shape[-1])
