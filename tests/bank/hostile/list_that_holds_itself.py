"""Returns a list that holds itself."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}


def swiglu_hidden_dim(*_):
    endless = []
    endless.append(endless)
    return endless
