"""Never looks at the head width, so an odd one gives frequencies instead of an error."""

FAULT = "rope.odd_dim_accepted"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.frequency-errors", "rope.errors"}

import torch


def rope_frequencies(head_dim, base=10000.0):
    two_r = torch.arange(0, head_dim, 2, dtype=torch.float32)
    return base ** (-two_r / head_dim)
