"""Inverts the mask: sees the future and hides the past."""

FAULT = "attn.mask_polarity"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.causal"}

import torch


def causal_mask(n_queries, n_keys, device):
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).triu(n_keys - n_queries + 1)
