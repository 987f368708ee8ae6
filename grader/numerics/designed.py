"""Inputs built so that one kind of mistake cannot hide, with what every right program answers to them."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grader.contract import ModuleSpec
from grader.numerics.inputs import Designed

BASE = 10000.0
_DELTAS = (0, 1, 3, 2)
_STRENGTH = 32.0


def cancelling_pairs(positions: Tensor, *, heads: int, head_dim: int) -> Tensor:
    """Pairs that a right rotation turns (nearly) onto an axis: x = R_{-p} (0, 1) or R_{-p} (1, 0), rounded to bf16.

    One component of the result is then a difference of two nearly equal products, about 2^-9 in size, so an error of
    2^-11 in a table shows in its leading digits (a third of all elements; on random inputs 2 %).

    Args:
        positions: ``[T]``.

    Returns:
        bf16 ``[1, T, heads, head_dim]``; even heads cancel in the first component, odd heads in the second, and each
        head has another length.
    """
    theta = torch.exp(-(torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim) * math.log(BASE))
    angle = positions.double()[:, None] * theta  # [T, d/2]
    parts = []
    for head in range(heads):
        length = 1.0 + head / heads
        pair = (angle.sin(), angle.cos()) if head % 2 == 0 else (angle.cos(), -angle.sin())
        parts.append(length * torch.stack(pair, dim=-1).flatten(-2))  # [T, d]
    return torch.stack(parts, dim=1)[None].bfloat16()


def pointer(payload: Tensor, dtype: torch.dtype) -> Designed:
    """An attention module whose heads copy whole numbers from exactly one token each.

    Feature 0 of x is 1 and gives every token the same q and k; features 1..16 are the payload. w_q of head h is
    R_{-Delta_h} k, so the score of key n for query m is largest at n = m - Delta_h, by more than 40 after the scale:
    the softmax is exactly one-hot in any precision, and the output is v of that token, exact in bf16.

    Args:
        payload: ``[B, T, 16]``, whole numbers below 256, none zero.

    Returns:
        D = 32, Hq = 4, Hkv = 2, d = 8; expected ``[B, T - 3, 32]``, from token 3 on, where all targets exist.
    """
    batch, tokens, _ = payload.shape
    n_heads, n_kv_heads, width = 4, 2, 8
    dim = n_heads * width
    x = torch.zeros(batch, tokens, dim)
    x[..., 0] = 1.0
    x[..., 1:17] = payload
    theta = BASE ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    w_q, w_k, w_v = torch.zeros(dim, dim), torch.zeros(n_kv_heads * width, dim), torch.zeros(n_kv_heads * width, dim)
    for head, delta in enumerate(_DELTAS):
        for pair in (0, 1):  # the two fastest pairs tell neighbours apart
            row = head * width + 2 * pair
            w_q[row, 0] = _STRENGTH * math.cos(-delta * float(theta[pair]))
            w_q[row + 1, 0] = _STRENGTH * math.sin(-delta * float(theta[pair]))
    for head in range(n_kv_heads):
        w_k[head * width, 0] = w_k[head * width + 2, 0] = _STRENGTH
    for row in range(n_kv_heads * width):
        w_v[row, 1 + row] = 1.0
    weights = {"w_q.weight": w_q, "w_k.weight": w_k, "w_v.weight": w_v, "w_o.weight": torch.eye(dim)}
    spec = ModuleSpec(
        "GroupedQueryAttention",
        {"dim": dim, "n_heads": n_heads, "n_kv_heads": n_kv_heads},
        {name: weight.to(dtype) for name, weight in weights.items()},
    )
    first = max(_DELTAS)
    copies = []
    for head, delta in enumerate(_DELTAS):
        source = (head // (n_heads // n_kv_heads)) * width
        copies.append(payload[:, first - delta : tokens - delta, source : source + width])
    return Designed(spec, x.to(dtype), torch.cat(copies, dim=-1), first)


def saturated_gate(payload: Tensor, signs: Tensor, dtype: torch.dtype) -> Designed:
    """A SwiGLU whose gates are +-64: SiLU(64) = 64 and SiLU(-64) = -1e-26, so open features copy whole numbers.

    Args:
        payload: ``[B, T, N]``, small whole numbers.
        signs: ``[F]``, +1 for a gate that is open, -1 for one that is closed.

    Returns:
        D = N + 1, F features; expected = sum over the open features of 16 times their payload, per output.
    """
    *leading, numbers = payload.shape
    features, dim = len(signs), numbers + 1
    x = torch.cat((torch.ones(*leading, 1), payload), dim=-1)
    w_gate, w_up, w_down = torch.zeros(features, dim), torch.zeros(features, dim), torch.zeros(dim, features)
    w_gate[:, 0] = 64.0 * signs.sign()
    for feature in range(features):
        w_up[feature, 1 + feature % numbers] = 1.0
        w_down[feature % dim, feature] = 0.25
    weights = {"w_gate.weight": w_gate, "w_up.weight": w_up, "w_down.weight": w_down}
    is_open = (signs > 0).float() * 64.0
    expected = ((x @ w_up.T) * is_open) @ w_down.T
    spec = ModuleSpec("SwiGLU", {"dim": dim, "hidden_dim": features}, {k: v.to(dtype) for k, v in weights.items()})
    return Designed(spec, x.to(dtype), expected)
