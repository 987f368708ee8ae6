"""A right program that calls the submission for some of its parts.

Where a whole fails because a part is wrong in a way that nobody has a model of, the whole is compared once more with a
right whole around the submission's own part. If the answers agree, the whole's own code is right.

The part is asked in a worker of its own, in which the submission never sees the whole, its weights or its answers: a
part cannot give back what would make a wrong whole look right.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol, cast

import torch
from torch import Tensor, nn

from grader.diagnosis.agreement import CLOSE, WHOLLY
from grader.diagnosis.program import Program
from grader.diagnosis.records import CheckRecord
from grader.diagnosis.replay import agreement, agreement_with
from grader.errors import WorkerLost

WHOLES = ("gqa", "block", "transformer")
BORROWABLE = ("norm", "rope", "cache", "attention", "ffn", "gqa", "block")


class Lender(Protocol):
    """The submission, as ``grader.student.submission.Student`` offers it."""

    def apply_rope(self, x: Tensor, positions: Tensor, base: float | None = None) -> Tensor: ...  # noqa: D102 - as there
    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, *, causal: bool | None = None) -> Tensor: ...  # noqa: D102 - as there
    def gradients(self, name: str, arguments: Mapping[str, Any], cotangent: Tensor) -> Mapping[str, Any]: ...  # noqa: D102 - as there
    def cache(self) -> Any: ...  # noqa: D102 - as there
    def construct(self, name: str, **arguments: int | float) -> Any: ...  # noqa: D102 - as there


class _Lent(torch.autograd.Function):
    """A call of the submission that autograd can pull back through, by asking the submission for its gradients."""

    @staticmethod
    def forward(ctx: Any, call: Callable[[], Tensor], pull: Callable[[Tensor], list[Any]], *tensors: Tensor) -> Tensor:
        ctx.pull = pull
        return call()

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> tuple[Any, ...]:
        return (None, None, *ctx.pull(cotangent))


class BorrowedModule(nn.Module):
    """Has the right module's parameters; what it computes is computed by the submission's module of that name."""

    def __init__(self, right: nn.Module, lent: Any) -> None:
        super().__init__()
        self.__dict__["lent"] = lent
        for name, value in right._parameters.items():
            self.register_parameter(name, value)
        for name, child in right.named_children():
            self.add_module(name, child)

    def forward(self, x: Tensor, positions: Any = None, cache: Any = None) -> Tensor:
        """x ``[..., D]``."""
        lent = self.__dict__["lent"]
        lent.load({name: value.detach() for name, value in self.named_parameters()})
        parameters = dict(self.named_parameters())

        def call() -> Tensor:
            answer: Tensor = lent(x.detach(), positions=positions, cache=None if cache is None else cache.lent)
            return answer

        def pull(cotangent: Tensor) -> list[Any]:
            gradients = lent.gradients(x.detach(), cotangent)
            return [gradients.get(name) for name in ("x", *parameters)]

        return cast("Tensor", _Lent.apply(call, pull, x, *parameters.values()))  # type: ignore[no-untyped-call]  # torch


class BorrowedCache:
    """The submission's KVCache."""

    def __init__(self, lent: Any) -> None:
        self.lent = lent

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """k v ``[B, T, Hkv, d]``."""
        result: tuple[Tensor, Tensor] = self.lent.append(k.detach(), v.detach())
        return result

    @property
    def keys(self) -> Tensor:
        """``[B, S, Hkv, d]``."""
        return self.lent.keys  # type: ignore[no-any-return]  # any lender

    @property
    def values(self) -> Tensor:
        """``[B, S, Hkv, d]``."""
        return self.lent.values  # type: ignore[no-any-return]  # any lender

    @property
    def length(self) -> int:
        """S."""
        return self.lent.length  # type: ignore[no-any-return]  # any lender


class BorrowingProgram(Program):
    """The whole contract, with some parts taken from the submission.

    Args:
        parts: of BORROWABLE.
    """

    def __init__(self, lender: Lender, parts: Collection[str]) -> None:
        self._lender, self._parts = lender, set(parts)
        if "gqa" in self._parts or "block" in self._parts:
            self._parts.add("cache")  # the submission's modules take the submission's caches

    def apply_rope(self, x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """See RopeSteps."""
        if "rope" not in self._parts:
            return super().apply_rope(x, positions, base)
        return self._lent("apply_rope", {"x": x}, {"positions": positions, "base": base})

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        """See AttentionSteps."""
        if "attention" not in self._parts:
            return super().grouped_query_attention(q, k, v, causal)
        return self._lent("grouped_query_attention", {"q": q, "k": k, "v": v}, {"causal": causal})

    def new_cache(self) -> Any:
        """See CacheSteps."""
        return BorrowedCache(self._lender.cache()) if "cache" in self._parts else super().new_cache()

    def new_rms_norm(self, dim: int, eps: float = 1e-6) -> nn.Module:
        """See NormSteps."""
        return self._module("norm", super().new_rms_norm(dim, eps), "RMSNorm", dim=dim, eps=eps)

    def new_swiglu(self, dim: int, hidden_dim: int) -> nn.Module:
        """See FeedForwardSteps."""
        return self._module("ffn", super().new_swiglu(dim, hidden_dim), "SwiGLU", dim=dim, hidden_dim=hidden_dim)

    def new_attention(self, dim: int, n_heads: int, n_kv_heads: int, base: float = 10000.0) -> nn.Module:
        """See AttentionSteps."""
        right = super().new_attention(dim, n_heads, n_kv_heads, base)
        sizes = {"dim": dim, "n_heads": n_heads, "n_kv_heads": n_kv_heads}
        return self._module("gqa", right, "GroupedQueryAttention", **sizes, base=base)

    def new_block(
        self, dim: int, n_heads: int, n_kv_heads: int, hidden_dim: int, base: float = 10000.0, eps: float = 1e-6
    ) -> nn.Module:
        """See BlockSteps."""
        right = super().new_block(dim, n_heads, n_kv_heads, hidden_dim, base, eps)
        sizes = {"dim": dim, "n_heads": n_heads, "n_kv_heads": n_kv_heads, "hidden_dim": hidden_dim}
        return self._module("block", right, "TransformerBlock", **sizes, base=base, eps=eps)

    def _lent(self, name: str, tensors: Mapping[str, Tensor], others: Mapping[str, Any]) -> Tensor:
        """Call a function of the submission."""
        given = {key: value.detach() for key, value in tensors.items()}

        def call() -> Tensor:
            answer: Tensor = getattr(self._lender, name)(**given, **others)
            return answer

        def pull(cotangent: Tensor) -> list[Any]:
            gradients = self._lender.gradients(name, {**given, **others}, cotangent)
            return [gradients.get(key) for key in tensors]

        return cast("Tensor", _Lent.apply(call, pull, *tensors.values()))  # type: ignore[no-untyped-call]  # torch

    def _module(self, part: str, right: nn.Module, name: str, **arguments: int | float) -> nn.Module:
        if part not in self._parts:
            return right
        return BorrowedModule(right, self._lender.construct(name, **arguments))


def right_around_own_parts(
    records: Sequence[CheckRecord], explained: Mapping[str, object], lend: Callable[[], Lender]
) -> dict[str, list[str]]:
    """The failed checks of wholes that a right whole around the submission's own broken parts would fail alike.

    Args:
        records: every check that was answered.
        explained: checks that have an explanation already.
        lend: the submission in a worker of its own. Raises WorkerLost.

    Returns:
        By check, the parts that are to blame, inner ones first.
    """
    broken: list[str] = []
    found: dict[str, list[str]] = {}
    for record in sorted((one for one in records if not one.passed), key=lambda one: one.depth):
        parts = [part for part in broken if part in record.parts and part != record.own_part]
        if record.id not in explained and record.own_part in WHOLES and parts:
            try:
                if _agrees(record, parts, lend):
                    found[record.id] = parts
                    continue
            except WorkerLost:
                break
        if record.own_part in BORROWABLE and record.own_part not in broken and record.id not in explained:
            broken.append(record.own_part)
    return found


def _agrees(record: CheckRecord, parts: Sequence[str], lend: Callable[[], Lender]) -> bool:
    if agreement(record.transcripts, ()).close >= CLOSE:
        return False  # right code would have given these answers too: what is wrong is not in the values
    return agreement_with(record.transcripts, lambda: BorrowingProgram(lend(), parts)).close >= WHOLLY
