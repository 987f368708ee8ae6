"""What a wrong attention output shows: the heads and keys that were read, and the positions that were used."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn

from grader.numerics.compared import NOTHING, Compared, Inspect, Seen
from grader.numerics.locate import heads_read
from grader.oracle.turns import candidates, told
from grader.pictures import MOST_PLACES, Causal, Heads, Timeline
from reference import attention

_MOST_CELLS = 256
_SEEN, _UNSEEN = 1e-2, 1e-3
"""Attention weights above the first were read, below the second were not; in between nobody can say."""
_MATCHES, _APART = 1e-3, 10.0
_MOST_TRIED = 256


def inspect_attention(q: Tensor, k: Tensor, v: Tensor, *, causal: bool) -> Inspect:
    """Compare ``softmax(q k^T / sqrt d) v``; q ``[B, T, Hq, d]``, k and v ``[B, S, Hkv, d]``, FP64."""

    def inspect(compared: Compared) -> Seen:
        if compared.actual.shape != q.shape:
            return NOTHING
        tried = [
            attention.grouped_query_attention(q, k[:, :, head : head + 1], v[:, :, head : head + 1], causal)
            for head in range(k.shape[2])
        ]
        read = heads_read(compared.actual, torch.stack(tried))
        groups = q.shape[2] // k.shape[2]
        right = [head // groups for head in range(q.shape[2])]
        if read is not None and read != right and len(right) <= MOST_PLACES:
            heads = Heads(key_heads=k.shape[2], right=right, yours=read)
            return Seen({"key/value head read by each query head": _listed(read)}, [heads])
        return _keys_seen(compared.actual, v, causal)

    return inspect


def inspect_layer(make: Callable[[], nn.Module], x: Tensor, positions: Tensor | None) -> Inspect:
    """Compare ``GroupedQueryAttention(x)``, also when it came in chunks through a cache. x ``[B, T, D]``, FP64."""

    def inspect(compared: Compared) -> Seen:
        if compared.actual.shape != x.shape or compared.dtype != torch.float32 or x.shape[1] > MOST_PLACES:
            return NOTHING
        row = compared.row
        right = torch.arange(x.shape[1]) if positions is None else positions
        right = right[row] if right.dim() == 2 else right
        timeline = _positions_used(make(), x[row], right, compared.actual[row], row)
        return Seen(told(timeline), list(timeline))

    return inspect


def _keys_seen(actual: Tensor, v: Tensor, causal: bool) -> Seen:
    """Which keys each query saw, from the weights that make ``actual`` out of ``v``.

    With no more keys than components the values are independent, so the output has one set of weights only.
    """
    tokens, keys, width = actual.shape[1], v.shape[1], v.shape[3]
    if keys > width or tokens > keys or tokens * keys > _MOST_CELLS:
        return NOTHING
    values = v.repeat_interleave(actual.shape[2] // v.shape[2], dim=2).transpose(1, 2)  # [B, Hq, S, d]
    output = actual.transpose(1, 2)  # [B, Hq, T, d]
    weights = output @ torch.linalg.pinv(values)  # [B, Hq, T, S]
    left = (weights @ values - output).abs().max()
    if not bool(left <= _MATCHES * output.square().mean().sqrt()):
        return NOTHING
    largest = weights.abs().flatten(0, 1).amax(0)  # [T, S]
    saw = largest > _SEEN
    if not bool((saw | (largest < _UNSEEN)).all()):
        return NOTHING
    may = ~attention.causal_mask(tokens, keys) if causal else torch.ones(tokens, keys, dtype=torch.bool)
    if torch.equal(saw, may):
        return NOTHING
    picture = Causal(keys=keys, right=_places(may), yours=_places(saw))
    words = "; ".join(f"query {query}: {_listed(seen) or 'none'}" for query, seen in enumerate(picture.yours))
    return Seen({"keys that each query saw": words}, [picture])


def _positions_used(module: nn.Module, x: Tensor, right: Tensor, actual: Tensor, row: int) -> list[Timeline]:
    """The positions with which the layer gives ``actual [T, D]`` for ``x [T, D]``, token after token.

    Attention knows distances only, so the first token stands where it should. Nothing when a token fits no position,
    or two of them.
    """
    tried = candidates(right)
    if len(tried) > _MOST_TRIED:
        return []
    size = actual.square().mean().sqrt()
    used = torch.empty(len(tried), 0, dtype=torch.long)
    for token in range(len(x)):
        places = torch.cat([used, tried[:, None]], 1)  # [candidates, token + 1]
        with torch.no_grad():
            outputs = cast("Tensor", module(x[: token + 1].expand(len(tried), -1, -1), positions=places))
        distance = (outputs[:, token] - actual[token]).abs().amax(1)
        nearest = distance.argsort(stable=True)
        best = int(tried[nearest[0]]) if token else int(right[0])
        clear = not token or bool(distance[nearest[1]] > _APART * distance[nearest[0]])
        if not clear or not bool(distance[nearest[0]] <= _MATCHES * size):
            return []
        used = torch.cat([used, torch.full((len(tried), 1), best)], 1)
    found = used[0].tolist()
    return [] if found == right.tolist() else [Timeline(sequence=row, right=right.tolist(), yours=found)]


def _places(mask: Tensor) -> list[list[int]]:
    return [row.nonzero().flatten().tolist() for row in mask]


def _listed(values: list[int]) -> str:
    return ", ".join(str(value) for value in values)
