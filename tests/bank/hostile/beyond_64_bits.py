"""Returns a number of a thousand digits."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"fail"}}


def swiglu_hidden_dim(*_):
    return 10**1000
