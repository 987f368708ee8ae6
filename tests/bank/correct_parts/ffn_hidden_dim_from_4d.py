"""Two thirds of 4 D, cut to an integer, then up to the next multiple."""

VARIES = "assignment1/ffn.py"


def swiglu_hidden_dim(dim, multiple_of=1):
    hidden_dim = int(2 * (4 * dim) / 3)
    remainder = hidden_dim % multiple_of
    return hidden_dim if remainder == 0 else hidden_dim + multiple_of - remainder
