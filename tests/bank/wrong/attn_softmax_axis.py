"""Takes the softmax over the queries instead of the keys."""

FAULT = "attn.softmax_axis"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.values"}

import torch


def attention_weights(scores):
    return torch.softmax(scores, dim=-2)
