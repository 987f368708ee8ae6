"""How well one answer of the submission agrees with a model's answer to the same request."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from grader.diagnosis.agreement import (
    NOTHING,
    Agreement,
    elementwise,
    reach_of,
    root_mean_square_of,
    same,
    together,
)
from grader.transcript import Exchange
from grader.wire import tensors
from grader.wire.codec import Handle, RawTensor, Value


def compare(exchange: Exchange, ours: Mapping[str, Value]) -> Agreement:
    """Agreement of an exchange's answer with ``ours``."""
    theirs = exchange.answer
    if ("error" in theirs) != ("error" in ours):
        return NOTHING
    if "error" in theirs:
        return same(_error(theirs) == _error(ours))
    if facts_of(theirs).get("mutated") != facts_of(ours).get("mutated"):
        return NOTHING
    if exchange.request["op"] == "state":
        return same(_form_of_state(theirs["value"]) == _form_of_state(ours["value"]))
    return _values(theirs.get("value"), ours.get("value"), reach_of(exchange.request))


def _values(theirs: Value, ours: Value, reach: float) -> Agreement:
    if isinstance(theirs, RawTensor) and isinstance(ours, RawTensor):
        if theirs == ours:  # bit for bit
            return same(True)
        return _tensors(tensors.from_raw(theirs), tensors.from_raw(ours), reach)
    if isinstance(theirs, Handle):
        return same(isinstance(ours, Handle))
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return together([_values(one, other, reach) for one, other in zip(theirs, ours, strict=True)])
    if isinstance(theirs, dict) and isinstance(ours, dict) and theirs.keys() == ours.keys():
        return together([_values(theirs[key], ours[key], reach) for key in theirs])
    return same(type(theirs) is type(ours) and theirs == ours)


def _tensors(theirs: Tensor, ours: Tensor, reach: float) -> Agreement:
    if theirs.shape != ours.shape or theirs.dtype != ours.dtype:
        return NOTHING
    if theirs.numel() == 0 or not theirs.is_floating_point():
        return same(torch.equal(theirs, ours))
    one, other = theirs.double(), ours.double()
    rows = elementwise(one.flatten(), other.reshape(1, -1), root_mean_square_of(other), theirs.dtype, reach)
    return rows.row(0)


def facts_of(answer: Mapping[str, Value]) -> Mapping[str, Value]:
    """The facts of an answer: what was mutated, which handle was kept."""
    facts = answer.get("facts")
    return facts if isinstance(facts, dict) else {}


def _error(answer: Mapping[str, Value]) -> tuple[object, object]:
    error = answer["error"]
    return (error.get("kind"), error.get("type")) if isinstance(error, dict) else (None, None)


def _form_of_state(value: Value) -> object:
    """Names, shapes and dtypes of parameters; values of a fresh module are random."""
    if not isinstance(value, dict) or not isinstance(value.get("parameters"), dict):
        return None
    parameters = value["parameters"]
    shapes = {name: (raw.shape, raw.dtype) for name, raw in parameters.items() if isinstance(raw, RawTensor)}  # type: ignore[union-attr]  # a dict, as just seen
    return shapes, value.get("trained")
