"""Bounds for composites by Monte-Carlo arithmetic: run the oracle often, each stored number off by a rounding error.

A rounding error acts like a random factor ``1 + unit * U(-1, 1)`` on what an operation stores. The oracle runs once in
FP64, then on N copies of the input stacked along the batch, under a dispatch mode that applies such factors after every
arithmetic operation. The spread over the copies, per element, measures how far legal programs may end from the truth,
with all correlations and cancellations in it, and needs no analysis by hand:

    E = KAPPA * std over copies, at least KAPPA/4 * the root mean square of std along the last axis.

The estimate is statistical. KAPPA = 10 leaves correct programs below half of E (tests/numerics/test_noise.py).
Matrix products accumulate: a sum of n products errs like ``unit32 * sqrt(n) * sqrt(A^2 B^2)``, whatever cancels.
Numbers that do not depend on x or the weights (positions, frequencies, angles) are FP32 in any legal program, and
cos and sin see an angle that is off by the relative error of ``bounds.angle_error``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from grader.numerics.rounding import FP32_UNIT

KAPPA = 10.0
COPIES = 32
FLOOR = 0.25
FLOOR_OVER_ALL = 0.5
_ANGLE = 8 * FP32_UNIT
_aten = torch.ops.aten
_STORED = {
    _aten.add, _aten.sub, _aten.mul, _aten.div, _aten.pow, _aten.exp, _aten.log, _aten.sqrt, _aten.rsqrt, _aten.sigmoid,
    _aten.reciprocal, _aten.sum, _aten.mean, _aten.var, _aten._softmax, _aten.silu, _aten.cos, _aten.sin, _aten.square,
    _aten._softmax_backward_data, _aten.sigmoid_backward, _aten.silu_backward, _aten.addcmul, _aten.rsub,
}  # fmt: skip
_PRODUCTS = {_aten.mm, _aten.bmm, _aten.addmm}


class RoundingNoise(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch types no __init_subclass__
    """Multiplies what each arithmetic operation stores by ``1 + unit * U(-1, 1)``.

    Args:
        unit: relative rounding error of numbers that depend on the data.
        data: the tensors that are data; what is computed from them is data too.
    """

    def __init__(self, unit: float, data: Iterable[Tensor], generator: torch.Generator) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch
        self._unit, self._generator = unit, generator
        for tensor in data:
            _mark(tensor)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing here is compiled; the default would import all of torch.compile (0.9 s) at the first operation."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the operation, then perturb its result."""
        operation = func.overloadpacket
        is_data = any(_is_data(argument) for argument in args)
        if operation in (_aten.cos, _aten.sin) and not is_data:
            args = (self._perturbed(args[0], _ANGLE),)
        result = func(*args, **(kwargs or {}))
        if isinstance(result, Tensor) and result.is_floating_point():
            if operation in _PRODUCTS:
                result = result + self._accumulation(operation, args)
            if operation in _STORED or operation in _PRODUCTS:
                result = self._perturbed(result, self._unit if is_data else 8 * FP32_UNIT)
        if is_data:
            for tensor in result if isinstance(result, (tuple, list)) else (result,):
                _mark(tensor)
        return result

    def _perturbed(self, tensor: Tensor, unit: float) -> Tensor:
        return tensor * (1 + unit * self._uniform(tensor))

    def _accumulation(self, operation: Any, args: tuple[Any, ...]) -> Tensor:
        left, right = args[1:3] if operation is _aten.addmm else args[:2]
        scale = FP32_UNIT * left.shape[-1] ** 0.5
        size = torch.matmul(left * left, right * right).sqrt()
        spread: Tensor = 2 * scale * self._uniform(size) * size
        return spread

    def _uniform(self, like: Tensor) -> Tensor:
        return 2 * torch.rand(like.shape, generator=self._generator, dtype=torch.float64) - 1


def bound(
    run: Callable[[Tensor], Tensor], x: Tensor, truth: Tensor, *, unit: float, weights: Iterable[Tensor], seed: int
) -> Tensor:
    """Bound of legal programs' error around ``truth = run(x)``.

    Args:
        run: the oracle, FP64, linear in its batch axis: rows of x do not meet.
        x: FP64 ``[B, ...]``.
        unit: ``8u`` for FP32 (several roundings an operation), bf16's unit roundoff for bf16.
        weights: the FP64 tensors that ``run`` closes over and that are data.

    Returns:
        FP64, of truth's shape.
    """
    stacked = x.repeat(COPIES, *(1,) * (x.dim() - 1))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad(), RoundingNoise(unit, [stacked, *weights], generator):
        outputs = run(stacked)
    return from_samples(outputs.reshape(COPIES, x.shape[0], *outputs.shape[1:]), truth)


def from_samples(samples: Tensor, truth: Tensor, *, floor_over_all: bool = False) -> Tensor:
    """E of the module's docstring from samples ``[N, ...]`` around ``truth`` ``[...]``.

    Args:
        floor_over_all: the floor is KAPPA * FLOOR_OVER_ALL * the root mean square of std over all axes.
    """
    spread = (samples - truth).square().mean(0).sqrt()
    if floor_over_all:
        spread = torch.maximum(spread, FLOOR_OVER_ALL * spread.square().mean().sqrt())
    elif spread.dim():
        spread = torch.maximum(spread, FLOOR * spread.square().mean(-1, keepdim=True).sqrt())
    return KAPPA * spread + 2.0**-140


def _mark(value: Any) -> None:
    if isinstance(value, Tensor):
        value._is_data = True  # type: ignore[attr-defined]  # a mark of ours


def _is_data(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(_is_data(item) for item in value)
    return isinstance(value, Tensor) and hasattr(value, "_is_data")
