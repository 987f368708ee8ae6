"""Keeps the classic 4 D instead of 8 D / 3, so SwiGLU gets half as many parameters again."""

FAULT = "ffn.hidden_four_dim"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.hidden-dim"}


def swiglu_hidden_dim(dim, multiple_of=1):
    return (4 * dim + multiple_of - 1) // multiple_of * multiple_of
