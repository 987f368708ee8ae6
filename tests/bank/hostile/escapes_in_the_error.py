"""Raises an error whose name and text clear the terminal, fill the clipboard and turn the writing round."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

AllPassed = type("\x1b[2J\x1b[32mAllPassed", (ValueError,), {})


def swiglu_hidden_dim(*_):
    raise AllPassed("\x1b]52;c;ZXZpbA==\x07\x1b[31mALL PASSED\u202e\x9b1m\x00\ud800\u2028")
