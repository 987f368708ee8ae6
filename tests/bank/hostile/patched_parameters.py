"""Replaces what its process says about parameters by something else."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.parameters": {"protocol"}, "block.parameters": {"protocol"}, "transformer.parameters": {"protocol"}}

import sys

sys.modules["grader.worker.serve"].state = lambda module: {"parameters": 7, "trained": {"weight": 1}}
