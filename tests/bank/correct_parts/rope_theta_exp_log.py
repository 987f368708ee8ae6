"""theta as exp(-(2 r / d) * log(base)), all in FP32."""

VARIES = "assignment1/rope.py"

import torch


def rope_frequencies(head_dim, base=10000.0):
    if head_dim <= 0 or head_dim % 2 != 0:
        raise ValueError(f"head_dim must be a positive even number, got {head_dim}")
    exponent = torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim
    return torch.exp(-exponent * torch.log(torch.tensor(base, dtype=torch.float32)))
