"""Makes cos and sin in FP16 instead of FP32."""

FAULT = "rope.fp16_tables"
MUTATES = "assignment1/rope.py"
KILLED_BY = {"rope.cos-sin-shapes", "rope.precision"}

from .rope import rope_cos_sin as plain_cos_sin


def rope_cos_sin(positions, head_dim, base=10000.0):
    cos, sin = plain_cos_sin(positions, head_dim, base)
    return cos.half(), sin.half()
