"""The plain way to grade, for comparison: as many tests as the grader has cases, ``allclose`` with the reference.

Everything runs in pytest's own process, the submission too: no isolation, no derived bounds, no names of mistakes.
``grader.checks`` gives the count; the folder with ``assignment1/`` comes in ``PLAIN_SUBMISSION``.
"""

from __future__ import annotations

import importlib
import os
import sys

import pytest
import torch

import reference.attention
import reference.block
import reference.ffn
import reference.norm
import reference.rope
from grader.catalogue import all_checks

sys.path.insert(0, os.environ["PLAIN_SUBMISSION"])
COUNT = sum(len(check.cases) or 1 for check in all_checks().values())


def theirs(module: str, name: str):
    """What the submission has under a name of the contract."""
    return getattr(importlib.import_module(f"assignment1.{module}"), name)


def rope() -> None:
    """Rotation of a random tensor."""
    x, positions = torch.randn(2, 7, 4, 8), torch.arange(3, 10)
    torch.testing.assert_close(
        theirs("rope", "apply_rope")(x, positions), reference.rope.apply_rope(x, positions), rtol=1e-4, atol=1e-5
    )


def attention() -> None:
    """Eight query heads over two."""
    q, k, v = torch.randn(2, 5, 8, 4), torch.randn(2, 9, 2, 4), torch.randn(2, 9, 2, 4)
    right = reference.attention.grouped_query_attention(q, k, v)
    torch.testing.assert_close(theirs("attention", "grouped_query_attention")(q, k, v), right, rtol=1e-4, atol=1e-5)


def norm() -> None:
    """Both norms."""
    x = torch.randn(3, 5, 16)
    for name in ("LayerNorm", "RMSNorm"):
        right = getattr(reference.norm, name)(16)(x)
        torch.testing.assert_close(theirs("norm", name)(16)(x), right, rtol=1e-4, atol=1e-5)


def feed_forward() -> None:
    """SwiGLU with the same weights."""
    alike(theirs("ffn", "SwiGLU")(16, 24), reference.ffn.SwiGLU(16, 24))


def block() -> None:
    """A block with the same weights."""
    alike(theirs("block", "TransformerBlock")(32, 4, 2, 48), reference.block.TransformerBlock(32, 4, 2, 48))


def alike(their: torch.nn.Module, ours: torch.nn.Module) -> None:
    """The same answer to the same input."""
    their.load_state_dict(ours.state_dict())
    x = torch.randn(2, 6, ours.state_dict()[next(iter(ours.state_dict()))].shape[-1])
    torch.testing.assert_close(their(x), ours(x), rtol=1e-4, atol=1e-5)


KINDS = (rope, attention, norm, feed_forward, block)


@pytest.mark.parametrize("number", range(COUNT))
def test_plain(number: int) -> None:
    """One of the kinds on fresh random numbers."""
    torch.manual_seed(number)
    KINDS[number % len(KINDS)]()
