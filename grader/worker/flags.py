"""Arithmetic flags, fixed before every call: the same submission must give the same numbers whatever it switched on.

The list follows PyTorch's notes on numerical accuracy. Only writes: after a write through the new ``fp32_precision``
interface, some of the old getters raise.
"""

from __future__ import annotations

import contextlib
import operator

import torch

from grader.worker import placement

IEEE = ("cuda.matmul", "cudnn", "cudnn.conv", "cudnn.rnn", "mkldnn", "mkldnn.matmul", "mkldnn.conv", "mkldnn.rnn")
OFF = (
    "cuda.matmul.allow_bf16_reduced_precision_reduction",
    "cuda.matmul.allow_fp16_reduced_precision_reduction",
    "cuda.matmul.allow_fp16_accumulation",
)


def set_strict() -> None:
    """FP32 means FP32, bf16 sums stay wide, no autocast, FP32 on the CPU by default, denormals kept, gradients on."""
    torch.set_float32_matmul_precision("highest")
    for path in IEEE:
        with contextlib.suppress(AttributeError, RuntimeError):  # older torch has no such setting
            operator.attrgetter(path)(torch.backends).fp32_precision = "ieee"
    for path in OFF:
        owner, _, name = path.rpartition(".")
        with contextlib.suppress(AttributeError, RuntimeError):
            setattr(operator.attrgetter(owner)(torch.backends), name, False)
    with contextlib.suppress(AttributeError):
        torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(False)
    torch.set_default_dtype(torch.float32)
    torch.set_flush_denormal(False)
    torch.set_grad_enabled(True)
    for device in ("cpu", "cuda"):
        torch.set_autocast_enabled(device, False)
    placement.restore_default()
