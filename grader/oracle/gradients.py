"""Expected gradients: FP64 autograd of the reference, with bounds from repeated noisy runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from grader.numerics import noise
from grader.numerics.answer import Answer, Gradients
from grader.numerics.rounding import FP32_UNIT

SAMPLES = 12


class Pipeline(NamedTuple):
    """What is differentiated.

    Attributes:
        run: in FP64, with ``sources`` as its leaves.
    """

    run: Callable[[], Tensor]
    sources: Mapping[str, Tensor]

    def pull_back(self, cotangent: Tensor) -> tuple[Tensor, ...]:
        """Gradients of ``<run(), cotangent>``."""
        # a scalar: passing the cotangent to autograd.grad would import sympy (0.3 s) for its symbolic shapes
        return torch.autograd.grad((self.run() * cotangent.double()).sum(), list(self.sources.values()))


def gradients(make: Callable[[], Pipeline], cotangent: Tensor, name: str, seed: int) -> Gradients:
    """Gradients of ``<run(), cotangent>`` to every source.

    Parameters collect gradients over the whole batch, so copies cannot be stacked as ``noise.bound`` does: the pipeline
    and its backward pass run SAMPLES times under noise, once a bound is asked for.

    The floor of a bound is a part of the mean spread of the whole gradient, not of its row. Where a softmax is almost
    one-hot, the gradient of its query is small, and so is the spread of our recipe; but scaled_dot_product_attention
    subtracts sum(dO * O), rounded by itself, so its error there is as large as in any other row (up to 1.4 mean spreads
    in 3000 random cases; the floor is 5).

    Args:
        make: the pipeline, anew each time: answers that are kept for a class must not keep modules with them.
        cotangent: of the output's shape.
        name: what was called, for the message.
    """
    pipeline = make()
    truths = pipeline.pull_back(cotangent)

    @functools.cache
    def bounds() -> list[Tensor]:
        again, generator = make(), torch.Generator().manual_seed(seed)
        with noise.RoundingNoise(8 * FP32_UNIT, again.sources.values(), generator):
            samples = [again.pull_back(cotangent) for _ in range(SAMPLES)]
        stacked = (torch.stack(gradients) for gradients in zip(*samples, strict=True))
        return [noise.from_samples(one, truth, floor_over_all=True) for one, truth in zip(stacked, truths, strict=True)]

    answers = Gradients()
    for index, (key, truth) in enumerate(zip(pipeline.sources, truths, strict=True)):
        axes = " ".join(f"axis{axis}" for axis in range(truth.dim()))
        bound = functools.partial(_at, index, bounds)
        answers[key] = Answer(truth, bound, torch.float32, axes, f"{name}: gradient of {key}")
    return answers


def _at(index: int, found: Callable[[], list[Tensor]]) -> Tensor:
    return found()[index]
