"""Raises an error whose text is a format that would read the grader's own values."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}


def swiglu_hidden_dim(*_):
    raise ValueError("{name.__class__.__mro__} {0} %(name)s {detail!r:>1000000000}")
