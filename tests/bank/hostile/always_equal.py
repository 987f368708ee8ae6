"""Returns a number that says it is equal to everything."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"fail"}}


class Yes(int):
    def __eq__(self, other):
        return True

    __le__ = __ge__ = __lt__ = __gt__ = __eq__

    def __mod__(self, other):
        return 0

    def __hash__(self):
        return 0


def swiglu_hidden_dim(*_):
    return Yes(1)
