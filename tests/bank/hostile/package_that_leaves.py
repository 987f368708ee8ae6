"""Leaves while its package is imported, which every check needs."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"*": {"crash"}}
FILES = {"assignment1/__init__.py": "import os; os._exit(0)"}

USED = "assignment1/__init__.py is what matters"
