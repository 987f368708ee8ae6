"""What a right program answers to each step, from the oracle, with what earlier steps fed a cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import Tensor

from grader.counterexample.steps import ATTENTIVE, Ref, Step, Steps
from grader.numerics.answer import Answer, WholeNumbers
from grader.oracle.live import Oracle
from grader.source import BASE

Expected = dict[str, Answer]
"""Answers by the name of what they are about: ``result``, ``cos``, ``keys``, or what a gradient belongs to."""


@dataclass
class _History:
    """What one cache was fed."""

    x: list[Tensor] = field(default_factory=list)
    positions: list[Tensor] = field(default_factory=list)
    k: list[Tensor] = field(default_factory=list)
    v: list[Tensor] = field(default_factory=list)
    module: int = -1

    @property
    def length(self) -> int:
        return sum(part.shape[1] for part in (self.x or self.k))


class Right:
    """Follows the steps of one example.

    Args:
        steps: all of them.
        oracle: that knows it.
    """

    def __init__(self, steps: Steps, oracle: Oracle) -> None:
        self._steps, self._oracle = steps, oracle
        self._caches: dict[int, _History] = {}
        self._kept: dict[int, Expected] = {}

    def answer(self, index: int) -> Expected | WholeNumbers | None:
        """Of step ``index``, which must follow the last one that was asked for; None where nothing is compared."""
        step = self._steps[index]
        if step.op == "build" and step.name == "KVCache":
            self._caches[index] = _History()
        if step.op == "call":
            found = self._call(step)
            if step.keep and isinstance(found, dict):
                self._kept[index] = found
            return found
        if step.op == "gradients":
            return self._gradients(step)
        if step.op == "read":
            return self._read(step)
        return self._kept.get(cast("int", step.on)) if step.op == "fetch" else None

    def _call(self, step: Step) -> Expected | WholeNumbers:
        given, oracle = step.arguments, self._oracle
        if step.on is not None:
            return self._append(step) if step.name == "KVCache" else {"result": self._module(step)}
        if step.name == "rope_frequencies":
            return {"result": oracle.rope_frequencies(given["head_dim"], given.get("base", BASE))}
        if step.name == "rope_cos_sin":
            tables = oracle.rope_cos_sin(given["positions"], given["head_dim"], given.get("base", BASE))
            return dict(zip(("cos", "sin"), tables, strict=True))
        if step.name == "apply_rope":
            return {"result": oracle.apply_rope(given["x"], given["positions"], given.get("base", BASE))}
        if step.name == "kv_cache_bytes":
            return oracle.kv_cache_bytes(*given.values())
        if step.name == "swiglu_hidden_dim":
            return oracle.swiglu_hidden_dim(given["dim"], given.get("multiple_of", 1))
        q, k, v = (given[name] for name in "qkv")
        answer = oracle.grouped_query_attention(q, k, v, causal=given.get("causal", True))
        if q.dtype == torch.bfloat16 and not q.any() and bool((v == v[:, :1]).all()):
            # equal weights of equal values: their mean is the value itself, whatever is rounded on the way
            like = v[:, :1].repeat_interleave(q.shape[2] // k.shape[2], dim=2).expand(q.shape).contiguous()
            answer = oracle.exactly(like, like=like, axes="B T Hq d", name="grouped_query_attention")
        return {"result": answer}

    def _append(self, step: Step) -> Expected:
        history = self._caches[cast("int", step.on)]
        history.k.append(step.arguments["k"])
        history.v.append(step.arguments["v"])
        return self._held(history, "KVCache.append ({})")

    def _held(self, history: _History, name: str) -> Expected:
        found = {}
        for part, chunks in (("keys", history.k), ("values", history.v)):
            whole = torch.cat(chunks, dim=1)
            found[part] = self._oracle.exactly(whole, like=whole, axes="B S Hkv d", name=name.format(part))
        return found

    def _module(self, step: Step) -> Answer:
        spec = self._steps[cast("int", step.on)].spec
        x = step.arguments["x"]
        if spec.name in ("LayerNorm", "RMSNorm"):
            return self._oracle.norm(spec, x)
        if spec.name not in ATTENTIVE:
            return self._oracle.module(spec, x)
        history = self._history(step.arguments)
        history.module = cast("int", step.on)
        start = history.length
        history.x.append(x)
        history.positions.append(step.arguments.get("positions", torch.arange(start, start + x.shape[1])))
        whole = torch.cat(history.x, dim=1)
        rows = max(positions.dim() for positions in history.positions) == 2
        positions = torch.cat([_as_rows(one, len(x)) if rows else one for one in history.positions], dim=-1)
        answer = self._oracle.module(spec, whole, positions=positions)
        return answer if not start else answer.tokens(start, start + x.shape[1])

    def _history(self, arguments: Mapping[str, Any]) -> _History:
        caches = arguments.get("caches") or [arguments.get("cache")]
        first = caches[0]
        return self._caches[first.step] if isinstance(first, Ref) else _History()

    def _gradients(self, step: Step) -> Expected:
        cotangent = cast("Tensor", step.cotangent)
        if step.on is None:
            return self._oracle.function_gradients(step.name, step.arguments, cotangent)
        return self._oracle.module_gradients(self._steps[step.on].spec, step.arguments["x"], cotangent)

    def _read(self, step: Step) -> Expected | WholeNumbers | None:
        history = self._caches[cast("int", step.on)]
        if step.attribute == "length":
            return self._oracle.whole_numbers([history.length], "KVCache.length")
        if history.k:
            return {step.attribute: self._held(history, "KVCache.{}")[step.attribute]}
        if not history.x:
            return None
        positions = torch.cat(history.positions, dim=-1)
        cached = self._oracle.cached(self._steps[history.module].spec, torch.cat(history.x, dim=1), positions)
        return {step.attribute: getattr(cached, step.attribute)}


def _as_rows(positions: Tensor, batch: int) -> Tensor:
    return positions if positions.dim() == 2 else positions.expand(batch, -1)
