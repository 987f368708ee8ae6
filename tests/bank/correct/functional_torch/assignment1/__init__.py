"""Assignment 1: torch.nn.functional wherever it has the operation."""
