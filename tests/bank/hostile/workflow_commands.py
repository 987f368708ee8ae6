"""Prints lines that a workflow would take for orders, and leaves them in an error."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}


def swiglu_hidden_dim(*_):
    print("::set-output name=score::100")
    raise ValueError("x\n::error file=a,line=1::b\n::add-mask::secret\n##[endgroup]")
