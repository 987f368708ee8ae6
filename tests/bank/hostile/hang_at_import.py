"""Hangs while it is imported."""

MUTATES = "assignment1/block.py"
EXPECTED = {"block.*": {"timeout"}, "transformer.*": {"timeout"}}

while True:
    pass
