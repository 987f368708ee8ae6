"""Puts an object in its module's place that has every name and answers everything."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"fail"}}

import sys


class Everything:
    def __init__(self, module):
        self.__dict__.update(vars(module))
        del self.__dict__["swiglu_hidden_dim"]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_: 0


sys.modules[__name__] = Everything(sys.modules[__name__])
