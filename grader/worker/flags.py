"""Arithmetic flags, fixed before every call: the same submission must give the same numbers whatever it switched on.

The list follows PyTorch's notes on numerical accuracy. Only writes: after a write through the new ``fp32_precision``
interface, some of the old getters raise. What writes is looked up once, before any student code can replace it.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from functools import partial

import torch

from grader.worker import placement

IEEE = ("cuda.matmul", "cudnn", "cudnn.conv", "cudnn.rnn", "mkldnn", "mkldnn.matmul", "mkldnn.conv", "mkldnn.rnn")
OFF = (
    "cuda.matmul.allow_bf16_reduced_precision_reduction",
    "cuda.matmul.allow_fp16_reduced_precision_reduction",
    "cuda.matmul.allow_fp16_accumulation",
)


def _writes() -> Iterator[Callable[[], object]]:
    yield partial(torch.set_float32_matmul_precision, "highest")
    for path in IEEE:
        yield from _write(path, "fp32_precision", "ieee")
    for path in OFF:
        owner, _, name = path.rpartition(".")
        yield from _write(owner, name, False)
    if hasattr(torch.backends.cuda, "allow_fp16_bf16_reduction_math_sdp"):
        yield partial(torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp, False)
    yield partial(torch.set_default_dtype, torch.float32)
    yield partial(torch.set_flush_denormal, False)
    yield partial(torch._C._set_grad_enabled, True)  # without an object of torch.set_grad_enabled
    yield partial(torch.set_num_threads, 1)  # on a busy machine more would wait for each other, and run out of time
    for device in ("cpu", "cuda"):
        yield partial(torch.set_autocast_enabled, device, False)


def _write(path: str, name: str, value: object) -> Iterator[Callable[[], object]]:
    try:
        owner = operator.attrgetter(path)(torch.backends)
    except AttributeError:  # older torch has no such setting
        return
    yield partial(setattr, owner, name, value)


_WRITES = tuple(_writes())
_REFUSED = (AttributeError, RuntimeError)
"""What an older torch raises that reads a setting and does not write it."""


def set_strict() -> None:
    """FP32 means FP32, bf16 sums stay wide, no autocast, FP32 by default, denormals kept, gradients on, one thread."""
    try:
        for write in _WRITES:
            write()
    except _REFUSED:
        _set_what_can_be_set()
    placement.restore_default()


def _set_what_can_be_set() -> None:
    for write in _WRITES:
        with contextlib.suppress(*_REFUSED):
            write()
