"""Has a signature that leaves the process when somebody asks for it."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}


class Function:
    @property
    def __signature__(self):
        raise SystemExit(0)

    def __call__(self, *_):
        return 1


swiglu_hidden_dim = Function()
