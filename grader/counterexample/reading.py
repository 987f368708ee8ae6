"""From what went over the wire in one case of a check to steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torch import Tensor

from grader.counterexample.entries import with_base
from grader.counterexample.steps import Ref, Step
from grader.transcript import Exchange, Transcript
from grader.wire import tensors
from grader.wire.codec import Handle, RawTensor


def steps_of(transcript: Transcript, *, refused: bool) -> list[Step] | None:
    """The case as steps; None where it asked something that cannot be asked again in a few lines.

    Args:
        refused: the last call had arguments that the contract forbids.
    """
    steps: list[Step] = []
    built: dict[int, int] = {}
    for exchange in transcript.exchanges:
        operation = exchange.request["op"]
        if operation == "set":
            index = built[exchange.request["object"].number]
            weights = {name: _value(value, built) for name, value in exchange.request["parameters"].items()}
            steps[index] = replace(steps[index], weights=weights)
            continue
        step = _step(exchange, steps, built)
        if step is None:
            return None
        for handle in (exchange.answer.get("value"), _facts(exchange).get("handle")):
            if isinstance(handle, Handle):
                built[handle.number] = len(steps)
        steps.append(step)
    if refused and steps:
        steps[-1] = replace(steps[-1], op="refused")
    return steps or None


def _step(exchange: Exchange, steps: list[Step], built: Mapping[int, int]) -> Step | None:
    request = exchange.request
    operation = request["op"]
    if operation in ("call", "gradients"):
        target = request["target"]
        on = built[target.number] if isinstance(target, Handle) else None
        name = steps[on].name if on is not None else target.rpartition(":")[2]
        arguments = {key: _value(value, built) for key, value in request["arguments"].items()}
        if request.get("construct"):
            return Step("build", name, arguments=arguments)
        cotangent = _value(request["cotangent"], built) if operation == "gradients" else None
        return Step(
            operation,
            name,
            on,
            arguments,
            cotangent=cotangent,
            mode=request.get("mode"),
            keep=request.get("keep") is True,
        )
    if operation == "get":
        on = built[request["object"].number]
        return Step("read", steps[on].name, on, attribute=request["name"])
    if operation == "fetch" and isinstance(request["object"], Handle):
        on = built[request["object"].number]
        return Step("fetch", steps[on].name, on)
    if operation == "arguments":
        return Step("unchanged", steps[-1].name, len(steps) - 1)
    if operation == "state":
        on = built[request["object"].number]
        return Step("state", steps[on].name, on)
    return None


def _value(value: Any, built: Mapping[int, int]) -> Any:
    if isinstance(value, RawTensor):
        tensor: Tensor = tensors.from_raw(value)
        return with_base(tensor)
    if isinstance(value, Handle):
        return Ref(built[value.number])
    return [_value(item, built) for item in value] if isinstance(value, list) else value


def _facts(exchange: Exchange) -> Mapping[str, Any]:
    facts = exchange.answer.get("facts")
    return facts if isinstance(facts, dict) else {}
