"""Returns FP32 for bf16 inputs."""

FAULT = "swiglu.dtype_upcast"
MUTATES = "assignment1/ffn.py"
KILLED_BY = {"ffn.dtype"}

from .ffn import SwiGLU as PlainSwiGLU


class SwiGLU(PlainSwiGLU):
    def forward(self, x):
        return super().forward(x).float()
