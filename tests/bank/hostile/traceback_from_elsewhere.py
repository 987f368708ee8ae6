"""Raises an error whose traceback names files that are not its own."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}


def swiglu_hidden_dim(*_):
    exec(compile("raise ValueError('x')", "../../../etc/passwd", "exec"))
