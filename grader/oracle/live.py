"""The reference in FP64, with the bound of a legal computation beside each truth.

Checks call the student first and the oracle after the student's bytes have arrived, on the verifier's own inputs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import torch
from torch import Tensor, nn

from grader.contract import ModuleSpec
from grader.numerics import bounds, noise
from grader.numerics.answer import Answer, Gradients, WholeNumbers, nearly
from grader.numerics.rounding import BF16_UNIT, FP32_UNIT
from grader.oracle.gradients import Pipeline, gradients
from grader.oracle.reading import inspect_attention, inspect_layer
from grader.oracle.turns import inspect_rope
from grader.source import BASE, Cached
from reference import attention, block, ffn, norm, rope

_CLASSES: dict[str, type[nn.Module]] = {
    "LayerNorm": norm.LayerNorm,
    "RMSNorm": norm.RMSNorm,
    "GroupedQueryAttention": attention.GroupedQueryAttention,
    "ReLUFeedForward": ffn.ReLUFeedForward,
    "SwiGLU": ffn.SwiGLU,
    "TransformerBlock": block.TransformerBlock,
    "Transformer": block.Transformer,
}
_DEFAULT_EPS = {"LayerNorm": 1e-5, "RMSNorm": 1e-6}
_ROPE = ("B T H d", "apply_rope")
_Run = tuple[Callable[[Tensor], Tensor], Sequence[Tensor]]
"""What is run in FP64, and the weights in it."""


class Oracle:
    """Answers for one case of one check.

    Args:
        seed: of the noise that measures bounds of composites.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    # -- norms: derived bounds --------------------------------------------------------------------------------

    def norm(self, spec: ModuleSpec, x: Tensor) -> Answer:
        """LayerNorm or RMSNorm of ``x [..., D]``."""
        eps = float(spec.arguments.get("eps", _DEFAULT_EPS[spec.name]))
        weight = cast("Tensor", spec.weights["weight"])
        wide = x.double()
        if spec.name == "RMSNorm":
            truth = norm.rms_norm(wide, weight.double(), eps=eps)
            bound = bounds.rms_norm(wide, truth, eps=eps)
        else:
            bias = cast("Tensor", spec.weights["bias"])
            truth = norm.layer_norm(wide, weight.double(), bias.double(), eps=eps)
            bound = bounds.layer_norm(wide, truth, weight, bias, eps=eps)
        axes = {1: "D", 2: "N D", 3: "B T D"}.get(x.dim(), "B T H D")
        return Answer(truth, bound, x.dtype, axes, spec.name)

    # -- RoPE: derived bounds ---------------------------------------------------------------------------------

    def rope_frequencies(self, head_dim: int, base: float = BASE) -> Answer:
        """theta_r, ``[d/2]``."""
        truth = rope.rope_frequencies(head_dim, base, dtype=torch.float64)
        return Answer(truth, bounds.frequencies(head_dim, base), torch.float32, "d/2", "rope_frequencies")

    def rope_cos_sin(self, positions: Tensor, head_dim: int, base: float = BASE) -> tuple[Answer, Answer]:
        """Cos and sin, ``[1 or B, T, 1, d/2]``."""
        tables = rope.rope_cos_sin(positions, head_dim, base, dtype=torch.float64)
        bound = bounds.table(positions, head_dim, base)
        cos, sin = (
            Answer(table, bound, torch.float32, "B T 1 d/2", f"rope_cos_sin ({name})", positions=positions)
            for name, table in (("cos", tables.cos), ("sin", tables.sin))
        )
        return cos, sin

    def apply_rope(self, x: Tensor, positions: Tensor, base: float = BASE) -> Answer:
        """X rotated to its positions, ``[B, T, H, d]``."""
        wide = x.double()
        answer = Answer(rope.apply_rope(wide, positions, base), bounds.rope(x, positions, base), x.dtype, *_ROPE)
        return replace(answer, inspect=inspect_rope(wide, positions, base), positions=positions, pairs=True)

    # -- composites: bounds by noise --------------------------------------------------------------------------

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, *, causal: bool = True) -> Answer:
        """softmax(q k^T / sqrt d) v, ``[B, T, Hq, d]``."""
        parts = [part.double() for part in (q, k, v)]
        heads = [part.shape[2] for part in parts]
        ends = [0, *itertools.accumulate(part.shape[1] * part.shape[2] for part in parts)]

        def run(stacked: Tensor) -> Tensor:
            rows = [stacked[:, ends[index] : ends[index + 1]] for index in range(3)]
            q, k, v = (row.reshape(len(row), -1, count, row.shape[-1]) for row, count in zip(rows, heads, strict=True))
            return attention.grouped_query_attention(q, k, v, causal)

        stacked = torch.cat([part.flatten(1, 2) for part in parts], dim=1)  # [B, all heads of all tokens, d]
        answer = self._by_noise(lambda: (run, ()), stacked, q.dtype, "B T Hq d", "grouped_query_attention")

        return replace(answer, inspect=inspect_attention(*parts, causal=causal))

    def module(self, spec: ModuleSpec, x: Tensor, *, positions: Tensor | None = None) -> Answer:
        """``forward(x)`` of any module without a cache; decoding must give the same and is compared with this too."""
        options = {} if positions is None else {"positions": positions}

        def make() -> _Run:
            module = self._build(spec)

            def run(stacked: Tensor) -> Tensor:
                given = dict(options)
                if positions is not None and positions.dim() == 2:
                    given["positions"] = positions.repeat(len(stacked) // len(positions), 1)
                return cast("Tensor", module(stacked, **given))

            return run, list(module.parameters())

        wide = x.double()
        answer = self._by_noise(make, wide, x.dtype, "B T D", spec.name)
        is_layer = spec.name == "GroupedQueryAttention"
        inspect = inspect_layer(lambda: self._build(spec), wide, positions) if is_layer else None
        return replace(answer, inspect=inspect, positions=positions)

    def cached(self, spec: ModuleSpec, x: Tensor, positions: Tensor) -> Cached:
        """The keys (rotated once) and values (not rotated) that a ``GroupedQueryAttention`` caches for ``x``."""
        module = cast("attention.GroupedQueryAttention", self._build(spec))
        head_dim, base = module.head_dim, module.base
        answers = []
        for name, weight in (("keys", module.w_k.weight), ("values", module.w_v.weight)):

            def run(stacked: Tensor, weight: Tensor = weight, rotated: bool = name == "keys") -> Tensor:
                heads = torch.matmul(stacked, weight.T).reshape(*stacked.shape[:2], spec["n_kv_heads"], head_dim)
                return rope.apply_rope(heads, positions, base) if rotated else heads

            def make(run: Callable[[Tensor], Tensor] = run, weight: Tensor = weight) -> _Run:
                return run, [weight]

            answer = self._by_noise(make, x.double(), x.dtype, "B S Hkv d", f"KVCache.{name}")
            answers.append(replace(answer, positions=positions))
        keys, values = answers
        given = rope.apply_rope(keys.truth, -positions, base)  # back to where it was before it was turned
        inspect = inspect_rope(given, positions, base)
        return Cached(replace(keys, inspect=inspect, pairs=True), values)

    def exactly(self, truth: Tensor, *, like: Tensor, axes: str, name: str) -> Answer:
        """A zero-tolerance answer: values that every right program gives bit for bit, in ``like``'s dtype."""
        return self.nearly(truth, 0.0, like=like, axes=axes, name=name)

    def nearly(self, truth: Tensor, allowed: float, *, like: Tensor, axes: str, name: str) -> Answer:
        """Values that every right program gives but for ``allowed``, in ``like``'s dtype."""
        return nearly(truth, allowed, like=like, axes=axes, name=name)

    # -- gradients --------------------------------------------------------------------------------------------

    def module_gradients(self, spec: ModuleSpec, x: Tensor, cotangent: Tensor) -> Gradients:
        """Gradients of ``<forward(x), cotangent>`` to ``x`` and to every parameter, by name."""

        def make() -> Pipeline:
            module = self._build(spec)
            sources = {"x": x.double().requires_grad_(), **dict(module.named_parameters())}
            return Pipeline(lambda: cast("Tensor", module(sources["x"])), sources)

        return gradients(make, cotangent, spec.name, self._seed)

    def function_gradients(self, name: str, arguments: Mapping[str, Any], cotangent: Tensor) -> Gradients:
        """Gradients of ``<f(...), cotangent>`` to the floating-point arguments of ``apply_rope`` or attention."""
        functions: dict[str, Callable[..., Tensor]] = {
            "apply_rope": rope.apply_rope,
            "grouped_query_attention": attention.grouped_query_attention,
        }
        function = functions[name]

        def make() -> Pipeline:
            sources = {
                key: value.double().requires_grad_()
                for key, value in arguments.items()
                if isinstance(value, Tensor) and value.is_floating_point()
            }
            return Pipeline(lambda: function(**{**arguments, **sources}), sources)

        return gradients(make, cotangent, name, self._seed)

    # -- whole numbers ----------------------------------------------------------------------------------------

    @staticmethod
    def kv_cache_bytes(*sizes: int) -> WholeNumbers:
        """Bytes of all keys and values."""
        exact = [attention.kv_cache_bytes(*sizes)]
        return WholeNumbers(exact, exact, "kv_cache_bytes")

    @staticmethod
    def swiglu_hidden_dim(dim: int, multiple_of: int) -> WholeNumbers:
        """Rounded up, down or to the nearest: within one multiple of 8 D / 3."""
        low, high = (8 * dim - 3 * multiple_of) // 3 + 1, (8 * dim + 3 * multiple_of - 1) // 3
        return WholeNumbers([max(low, multiple_of)], [high], "swiglu_hidden_dim", multiple_of)

    @staticmethod
    def whole_numbers(values: list[int], name: str) -> WholeNumbers:
        """Exactly these."""
        return WholeNumbers(values, values, name)

    def _by_noise(self, make: Callable[[], _Run], x: Tensor, dtype: torch.dtype, axes: str, name: str) -> Answer:
        """``make`` is asked anew for the bound: an answer that is kept for a class must not keep modules with it."""
        unit = BF16_UNIT if dtype == torch.bfloat16 else 8 * FP32_UNIT
        with torch.no_grad():
            truth = make()[0](x)

        def bound() -> Tensor:
            run, weights = make()
            return noise.bound(run, x, truth, unit=unit, weights=weights, seed=self._seed)

        return Answer(truth, bound, dtype, axes, name)

    def _build(self, spec: ModuleSpec) -> nn.Module:
        module = _CLASSES[spec.name](**spec.arguments).double()
        weights = {name: cast("Tensor", value).double() for name, value in spec.weights.items()}
        module.load_state_dict(weights)
        return module
