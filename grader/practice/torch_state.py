"""Torch's settings in this process: grading changes them, and afterwards they are the notebook's own again."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from grader.worker import flags, placement

_Setting = tuple[Callable[[], Any], Callable[[Any], object]]


@contextmanager
def kept() -> Iterator[None]:
    """Whatever the body changes of what ``flags.set_strict`` and ``session.grade`` set is set back at its end."""
    before: list[tuple[Callable[[Any], object], Any]] = []
    for read, write in _settings():
        with contextlib.suppress(AttributeError, RuntimeError):  # torch of another version; settings that disagree
            before.append((write, read()))
    placement.restore_default()  # inputs and right answers are made on the CPU, wherever the notebook works
    try:
        with torch.inference_mode(False):
            yield
    finally:
        for write, value in before:
            write(value)


def _settings() -> Iterator[_Setting]:
    yield torch.get_rng_state, torch.set_rng_state
    yield torch.get_num_threads, torch.set_num_threads
    yield torch.get_default_dtype, torch.set_default_dtype
    yield torch.is_grad_enabled, torch.set_grad_enabled
    yield placement.changed_default, torch.set_default_device
    for device in ("cpu", "cuda"):
        yield _autocast(device)
    yield torch.get_float32_matmul_precision, torch.set_float32_matmul_precision
    for path in (*(f"{owner}.fp32_precision" for owner in flags.IEEE), *flags.OFF):
        yield _attribute(path)
    allowed = torch.backends.cuda
    yield allowed.fp16_bf16_reduction_math_sdp_allowed, allowed.allow_fp16_bf16_reduction_math_sdp


def _autocast(device: str) -> _Setting:
    return lambda: torch.is_autocast_enabled(device), lambda value: torch.set_autocast_enabled(device, value)


def _attribute(path: str) -> _Setting:
    owner, _, name = path.rpartition(".")
    return (
        lambda: operator.attrgetter(path)(torch.backends),
        lambda value: setattr(operator.attrgetter(owner)(torch.backends), name, value),
    )
