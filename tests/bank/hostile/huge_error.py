"""Raises an error with a text of 100 MiB, from a thousand calls deep."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}


def deeper(levels):
    if levels == 0:
        raise ValueError("A" * (100 << 20))
    return deeper(levels - 1)


def swiglu_hidden_dim(*_):
    return deeper(800)
