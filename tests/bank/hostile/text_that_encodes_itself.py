"""Returns a text that chooses the bytes by which it is sent."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"fail"}}


class Chooser(str):
    def encode(self, *_):
        return b"\x00" * 3 + b"i" + b"\xff" * 8


def swiglu_hidden_dim(*_):
    return Chooser("2048")
