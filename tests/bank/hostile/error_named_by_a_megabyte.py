"""Raises an error whose class has a name of three megabytes."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

Endless = type("A" * (3 << 20), (ValueError,), {})


def swiglu_hidden_dim(*_):
    raise Endless
