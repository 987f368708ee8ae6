"""The submission as the checks see it: the contract's functions and classes, called in the worker.

Every method returns what the student's code returned, checked for its kind only: a tensor where the contract says
tensor. Shapes, dtypes and values are compared by the check, with the oracle's answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor

from grader.contract import ModuleSpec
from grader.errors import CheckFailure
from grader.student.calls import Calls
from grader.student.places import Places
from grader.student.refusal import Refusal
from grader.wire.codec import Handle


class Student:
    """Calls the submission. ``base`` and ``eps`` are passed only when given, so that defaults are tested too."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def rope_frequencies(self, head_dim: int, base: float | None = None) -> Tensor:
        """Section 4.4. Returns ``[d/2]`` in FP32."""
        return self._calls.tensor("rope_frequencies", {"head_dim": head_dim, **_given(base=base)})

    def rope_cos_sin(self, positions: Tensor, head_dim: int, base: float | None = None) -> tuple[Tensor, Tensor]:
        """Section 4.5. positions ``[T]`` or ``[B, T]``; returns cos and sin, ``[1 or B, T, 1, d/2]`` in FP32."""
        arguments = {"positions": positions, "head_dim": head_dim, **_given(base=base)}
        return self._calls.pair("rope_cos_sin", arguments, positional=2)

    def apply_rope(self, x: Tensor, positions: Tensor, base: float | None = None, *, mode: str | None = None) -> Tensor:
        """Sections 4.4 and 4.5. x ``[B, T, H, d]``; returns the same shape and dtype.

        Args:
            mode: ``inference`` or ``autocast``: the context of the caller, which must not matter.
        """
        arguments = {"x": x, "positions": positions, **_given(base=base)}
        return self._calls.tensor("apply_rope", arguments, positional=2, mode=mode)

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, *, causal: bool | None = None) -> Tensor:
        """Sections 4.3 and 4.7. q ``[B, T, Hq, d]``, k v ``[B, S, Hkv, d]``; returns ``[B, T, Hq, d]``."""
        return self._calls.tensor("grouped_query_attention", {"q": q, "k": k, "v": v, **_given(causal=causal)}, 3)

    def kv_cache_bytes(self, *sizes: int) -> int:
        """Section 4.7. batch, length, n_layers, n_kv_heads, head_dim, bytes_per_element."""
        names = ("batch", "length", "n_layers", "n_kv_heads", "head_dim", "bytes_per_element")
        return self._calls.integer("kv_cache_bytes", dict(zip(names, sizes, strict=True)))

    def swiglu_hidden_dim(self, dim: int, multiple_of: int | None = None) -> int:
        """Section 4.6. An integer near ``8 D / 3``."""
        return self._calls.integer("swiglu_hidden_dim", {"dim": dim, **_given(multiple_of=multiple_of)})

    def cache(self) -> Cache:
        """A new, empty ``KVCache()``."""
        return Cache(self._calls, self._calls.construct("KVCache", {}))

    def settle(self) -> None:
        """Wait for what was constructed and not used yet. Raises CheckFailure."""
        self._calls.settle()

    def build(self, spec: ModuleSpec) -> Module:
        """Construct the student's class and put the spec's weights into it; what fails is raised by its first use."""
        module = Module(self._calls, self._calls.construct(spec.name, dict(spec.arguments)), spec.name)
        if spec.weights:
            module.load(spec.weights)
        return module

    def construct(self, name: str, **arguments: int | float) -> Module:
        """Construct a class without loading weights."""
        return Module(self._calls, self._calls.construct(name, arguments), name)

    def refuses(self, name: str, arguments: Mapping[str, Any], *, positional: int = 99) -> Refusal:
        """Call with arguments that the contract forbids, and return how the submission refused."""
        return self._calls.refusal(name, arguments, positional)

    def must_not_mutate(self, name: str) -> None:
        """Require that the last call left its tensor arguments alone, by their bytes. Raises CheckFailure."""
        mutated = self._calls.mutated()
        if mutated:
            raise CheckFailure("call.mutated", name=name, changed=", ".join(mutated))

    def keep_next(self) -> None:
        """Keep the result of the next call in the worker, for ``kept``."""
        self._calls.keep_next()

    def kept(self) -> list[Tensor]:
        """The kept result as it is now: later calls must not have changed it."""
        return self._calls.fetch_kept()

    def on_cpu(self) -> Student:
        """The same submission in the same process, asked with tensors on the CPU, in a round on a GPU."""
        return Student(self._calls.at(self._calls.places.on_cpu()))

    def with_on_cpu(self, argument: str) -> Student:
        """The same, with one argument on the CPU and the others on the device."""
        return Student(self._calls.at(self._calls.places.with_on_cpu(argument)))

    def watched(self) -> Student:
        """The same, counting what its calls fetch from the device."""
        return Student(self._calls.at(self._calls.places.watched()))

    @property
    def places(self) -> Places:
        """Where tensors live, and what the last calls said of devices."""
        return self._calls.places

    def must_keep_default_device(self) -> None:
        """Require that new tensors are still made on the CPU. Raises CheckFailure."""
        self._calls.must_keep_default_device()

    def gradients(self, name: str, arguments: Mapping[str, Any], cotangent: Tensor) -> dict[str, Tensor | None]:
        """Gradients of ``<output, cotangent>`` to the floating-point arguments of a function."""
        wrt = [key for key, value in arguments.items() if isinstance(value, Tensor) and value.is_floating_point()]
        return self._calls.gradients(name, arguments, wrt, cotangent, positional=len(arguments))


class Module:
    """One of the submission's ``nn.Module`` objects, living in the worker."""

    def __init__(self, calls: Calls, handle: Handle, name: str) -> None:
        self._calls, self.handle, self._name = calls, handle, name

    def __call__(
        self,
        x: Tensor,
        *,
        positions: Tensor | None = None,
        cache: Cache | None = None,
        caches: list[Cache] | None = None,
        mode: str | None = None,
    ) -> Tensor:
        """Run ``forward``. x ``[..., D]``; returns the output tensor."""
        given = {"x": x, **_given(positions=positions), **_history(cache if caches is None else caches)}
        return self._calls.tensor(self._name, given, positional=1, target=self.handle, mode=mode)

    def load(self, weights: Mapping[str, object]) -> None:
        """Put ``weights`` in place of the parameters, by the contract's names, dtype included."""
        self._calls.set_parameters(self.handle, weights, self._name)

    def moved_to(self, student: Student) -> Module:
        """The same module after ``module.to(device)``, for inputs that live where this student's do."""
        calls = self._calls.at(student.places)
        calls.move(self.handle)
        return Module(calls, self.handle, self._name)

    def in_chunks(
        self, x: Tensor, chunks: Sequence[int], cache: Cache | list[Cache], *, positions: Tensor | None = None
    ) -> Tensor:
        """Feed ``x [B, T, D]`` in chunks of tokens through one cache (or one a layer); returns ``[B, T, D]``."""
        given, start, history = [], 0, _history(cache)
        for tokens in chunks:
            end = start + tokens
            at = None if positions is None else positions[..., start:end]
            given.append({"x": x[:, start:end], **_given(positions=at), **history})
            start = end
        outputs = self._calls.tensor_each(self._name, given, positional=1, target=self.handle)
        return concatenated(outputs, f"{self._name}.forward")

    def must_train(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Require exactly these parameters, all trained. Raises CheckFailure."""
        parameters, trained = self._calls.state(self.handle)
        found = {name: tuple(parameters[name].shape) for name in trained if name in parameters}
        if found != dict(shapes):
            raise CheckFailure(
                "parameters.set", name=self._name, expected=_listed(shapes), actual=_listed(found) or "-"
            )

    def must_still_hold(self, spec: ModuleSpec) -> None:
        """Require that calls changed no parameter. Raises CheckFailure."""
        parameters, _ = self._calls.state(self.handle)
        changed = [
            name
            for name, value in spec.weights.items()
            if name not in parameters or not torch.equal(parameters[name], cast("Tensor", value))
        ]
        if changed:
            raise CheckFailure("call.mutated", name=self._name, changed=", ".join(changed))

    def cast(self, dtype: str) -> None:
        """``module.to(dtype)``, buffers and all. Only advice checks do this."""
        self._calls.cast(self.handle, dtype)

    def gradients(self, x: Tensor, cotangent: Tensor) -> dict[str, Tensor | None]:
        """Gradients of ``<output, cotangent>`` to ``x`` and to every parameter, by name."""
        return self._calls.gradients(self._name, {"x": x}, ["x"], cotangent, positional=1, target=self.handle)


class Cache:
    """One of the submission's ``KVCache`` objects, living in the worker."""

    def __init__(self, calls: Calls, handle: Handle) -> None:
        self._calls, self.handle = calls, handle

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """K v ``[B, T, Hkv, d]``; returns all keys and values so far, ``[B, S, Hkv, d]``."""
        return self.append_in_chunks(k, v, [k.shape[1]])

    def append_in_chunks(self, k: Tensor, v: Tensor, chunks: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Append k and v ``[B, T, Hkv, d]`` in chunks of tokens; returns what the last append returned."""
        given, start = [], 0
        for tokens in chunks:
            end = start + tokens
            given.append({"k": k[:, start:end], "v": v[:, start:end]})
            start = end
        return self._calls.pair_each("KVCache", given, positional=2, target=self.handle, method="append")[-1]

    @property
    def keys(self) -> Tensor:
        """The keys so far, ``[B, S, Hkv, d]``."""
        return self._calls.attribute_tensor(self.handle, "keys")

    @property
    def values(self) -> Tensor:
        """The values so far, ``[B, S, Hkv, d]``."""
        return self._calls.attribute_tensor(self.handle, "values")

    @property
    def length(self) -> int:
        """Tokens seen so far, S."""
        value = self._calls.attribute(self.handle, "length")
        if not isinstance(value, int) or isinstance(value, bool):
            raise CheckFailure("result.not-an-integer", name="KVCache.length", actual=self._calls.kind_of(value))
        return value


def concatenated(parts: Sequence[Tensor], name: str) -> Tensor:
    """Join outputs of consecutive calls on the time axis. Raises CheckFailure when one of them does not fit."""
    first = parts[0]
    for part in parts:
        if (
            part.dim() != first.dim()
            or part.dim() < 2
            or part.dtype != first.dtype
            or part.shape[2:] != first.shape[2:]
        ):
            raise CheckFailure(
                "values.changing-form", name=name, first=list(first.shape), other=f"{list(part.shape)} {part.dtype}"
            )
    return torch.cat(list(parts), dim=1)


def _listed(shapes: Mapping[str, tuple[int, ...]]) -> str:
    shown = [f"{name} {list(shape)}" for name, shape in sorted(shapes.items())]
    return ", ".join(shown[:12]) + (", ..." if len(shown) > 12 else "")


def _given(**arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _history(cache: Cache | list[Cache] | None) -> dict[str, Any]:
    """The argument that holds what came before: one cache, or one a layer."""
    if cache is None:
        return {}
    return {"cache": cache.handle} if isinstance(cache, Cache) else {"caches": [one.handle for one in cache]}
