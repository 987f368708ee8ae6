"""Whether this machine has a GPU on which tests marked ``gpu`` can run, and if not, why."""

from __future__ import annotations

import functools

import pytest

from grader.errors import GraderError
from grader.runners import gpus


@functools.cache
def missing() -> str | None:
    """Why there is no GPU for tests; None: there is one."""
    try:
        gpus.needed(["cuda"])
        gpus.torch_needed()
    except GraderError as error:
        return str(error)
    import torch

    return None if torch.version.cuda else f"PyTorch {torch.__version__} has no CUDA"


def needed() -> None:
    """Skip the test that asks where there is none."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
