"""Masks only when there are as many queries as keys, so the tokens of a chunk see each other."""

FAULT = "attn.no_mask_with_cache"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.causal-offset"}

import torch


def causal_mask(n_queries, n_keys, device):
    mask = torch.ones(n_queries, n_keys, dtype=torch.bool, device=device)
    return mask.tril() if n_queries == n_keys else mask
