"""Answers with a tensor whose shape no tensor can have."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"protocol"},
    "ffn.dtype": {"protocol"},
    "ffn.gradients": {"fail"},
    "ffn.no-side-effects": {"protocol"},
}

import sys

from .ffn import ReLUFeedForward as PlainReLUFeedForward

serve, codec = sys.modules["grader.worker.serve"], sys.modules["grader.wire.codec"]
real_to_wire = serve.to_wire


class Impossible:
    pass


def to_wire(value):
    if isinstance(value, Impossible):
        return codec.RawTensor("float32", (0, 2**32 - 1, 2**32 - 1, 2**32 - 1), b"")
    return real_to_wire(value)


serve.to_wire = to_wire


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        return Impossible()
