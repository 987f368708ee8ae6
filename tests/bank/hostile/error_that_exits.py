"""Raises an error that leaves the process when somebody asks for its text."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"crash"}}


class Leaving(Exception):
    def __str__(self):
        raise SystemExit(0)


def swiglu_hidden_dim(*_):
    raise Leaving
