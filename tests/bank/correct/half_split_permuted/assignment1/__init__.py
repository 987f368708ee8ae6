"""Assignment 1 (rotation in the half-split layout, blockwise softmax)."""
