"""Aligns the mask with the first key, and lets each query see one key too many."""

FAULTS = ("attn.causal_topleft", "attn.mask_peek_next")
MUTATES = "assignment1/attention.py"

import torch


def causal_mask(n_queries, n_keys, device):
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril(1)
