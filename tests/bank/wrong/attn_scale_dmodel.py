"""Divides the scores by the root of the model width instead of the head width."""

FAULT = "attn.scale_dmodel"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.values"}

import math


def attention_scores(q, k):
    model_width = q.shape[1] * q.shape[-1]
    return q @ k.transpose(-2, -1) / math.sqrt(model_width)
