"""Prints without end."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"output_limit"}}


def swiglu_hidden_dim(*_):
    while True:
        print("A" * 65536)
