"""Looks through the stack for the expected answer."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {
    "ffn.relu-values": {"student_error"},
    "ffn.dtype": {"student_error"},
    "ffn.gradients": {"student_error"},
    "ffn.no-side-effects": {"student_error"},
}

import inspect

import torch

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        frame = inspect.currentframe()
        while frame:
            for name in ("truth", "expected", "want", "answer", "reference"):
                if isinstance(frame.f_locals.get(name), torch.Tensor):
                    return frame.f_locals[name]
            frame = frame.f_back
        raise LookupError("no expected value in any frame")
