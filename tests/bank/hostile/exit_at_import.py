"""Leaves with exit code 0 while it is imported: costs every check that needs the module, and no other."""

MUTATES = "assignment1/block.py"
EXPECTED = {"block.*": {"crash"}, "transformer.*": {"crash"}}

import os

os._exit(0)
