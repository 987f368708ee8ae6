"""Raises an error whose class has no text for a name."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error", "crash"}}


class Nameless(type):
    @property
    def __name__(cls):
        return object()


class Strange(ValueError, metaclass=Nameless):
    pass


def swiglu_hidden_dim(*_):
    raise Strange("x")
