"""Returns an object that would run a command if anybody unpickled it."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"fail"}}

import os


class Bomb:
    def __reduce__(self):
        return os._exit, (3,)


def swiglu_hidden_dim(*_):
    return Bomb()
