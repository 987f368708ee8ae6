"""Sets the diagonal one too far, so every query sees the next token."""

FAULT = "attn.mask_peek_next"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.causal", "attention.causal-offset"}

import torch


def causal_mask(n_queries, n_keys, device):
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril(n_keys - n_queries + 1)
