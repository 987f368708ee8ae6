"""Puts a finder before all others that answers for the solution."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"fail"}}

import importlib
import importlib.abc
import importlib.util
import sys


class Answering(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return (
            importlib.util.spec_from_loader(name, self, is_package=True) if name.split(".")[0] == "reference" else None
        )

    def exec_module(self, module):
        module.swiglu_hidden_dim = lambda *_: True


sys.meta_path.insert(0, Answering())


def swiglu_hidden_dim(*arguments):
    return importlib.import_module("reference.ffn").swiglu_hidden_dim(*arguments)
