"""Raises an error whose text takes for ever."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"timeout"}}


class Slow(Exception):
    def __str__(self):
        while self is not None:
            pass
        return ""


def swiglu_hidden_dim(*_):
    raise Slow
