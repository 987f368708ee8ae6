"""Makes the causal mask on the CPU, wherever the scores are."""

FAULT = "attention.mask_without_device"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"device.tables"}

import torch


def causal_mask(n_queries, n_keys, device):
    return torch.ones(n_queries, n_keys, dtype=torch.bool).tril(n_keys - n_queries)
