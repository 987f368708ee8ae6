"""Aligns the causal mask at the top left, so with a history query i only sees keys 0 to i."""

FAULT = "attn.causal_topleft"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.causal-offset"}

import torch


def causal_mask(n_queries, n_keys, device):
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril()
