"""Mistakes with heads: which keys and values a query head reads, the order of axes, and heads that do not divide."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.attention import AttentionSteps

# -- which key/value head a query head reads --------------------------------------------------------------------


@mistake("attn.head_tile", part="attention")
class HeadTile(AttentionSteps):
    """Tiles the key/value heads 0, 1, 0, 1 instead of repeating each one 0, 0, 1, 1."""

    def shared(self, x: Tensor, groups: int) -> Tensor:
        return x.repeat(1, groups, 1, 1)


@mistake("attn.keys_tiled", part="attention")
class KeysTiled(AttentionSteps):
    """Tiles the key heads 0, 1, 0, 1 and repeats the value heads 0, 0, 1, 1."""

    def shared_keys(self, keys: Tensor, groups: int) -> Tensor:
        return keys.repeat(1, groups, 1, 1)


@mistake("attn.values_tiled", part="attention")
class ValuesTiled(AttentionSteps):
    """Tiles the value heads 0, 1, 0, 1 and repeats the key heads 0, 0, 1, 1."""

    def shared_values(self, values: Tensor, groups: int) -> Tensor:
        return values.repeat(1, groups, 1, 1)


@mistake("attn.first_head_for_all", part="attention")
class FirstHeadForAll(AttentionSteps):
    """Lets every query head read key/value head 0 when heads are shared."""

    def shared(self, x: Tensor, groups: int) -> Tensor:
        return x if groups == 1 else x[:, :1].expand(-1, groups * x.shape[1], -1, -1)


@mistake("attn.heads_not_shared", part="attention")
class HeadsNotShared(AttentionSteps):
    """Does not repeat key/value heads, so fewer of them than query heads raise an error."""

    def shared(self, x: Tensor, groups: int) -> Tensor:
        return x


@mistake("attn.group_shares_weights", part="attention")
class GroupSharesWeights(AttentionSteps):
    """Averages the queries of a group, so heads that share keys also share their weights."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        self.check_groups(q.shape[2], k.shape[2])
        groups = q.shape[2] // k.shape[2]
        mean = q.float().reshape(*q.shape[:2], -1, groups, q.shape[3]).mean(dim=3)
        return super().grouped_query_attention(mean.repeat_interleave(groups, dim=2), k, v, causal).to(q.dtype)


# -- heads that do not divide -----------------------------------------------------------------------------------


@mistake("attn.unequal_heads_accepted", part="attention")
class UnequalAccepted(AttentionSteps):
    """Spreads any number of key/value heads over the query heads and never raises an error."""

    def check_groups(self, n_heads: int, n_kv_heads: int) -> None:
        """Accept all."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        if q.shape[2] % k.shape[2]:
            heads = torch.arange(q.shape[2]) * k.shape[2] // q.shape[2]
            k, v = k[:, :, heads], v[:, :, heads]
        return super().grouped_query_attention(q, k, v, causal)


@mistake("attn.unequal_heads_cut", part="attention")
class UnequalCut(AttentionSteps):
    """Accepts any number of key/value heads and leaves out those that are too many."""

    def check_groups(self, n_heads: int, n_kv_heads: int) -> None:
        """Accept all."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        if q.shape[2] % k.shape[2]:
            groups = -(-q.shape[2] // k.shape[2])
            k, v = (x.repeat_interleave(groups, dim=2)[:, :, : q.shape[2]] for x in (k, v))
        return super().grouped_query_attention(q, k, v, causal)


class _OtherError(AttentionSteps):
    attention_error: type[Exception] = Exception

    def check_groups(self, n_heads: int, n_kv_heads: int) -> None:
        if n_heads % n_kv_heads:
            raise self.attention_error("unequal groups")


@mistake("attn.asserts", part="attention")
class Asserts(_OtherError):
    """Answers a wrong number of heads with an assertion instead of a ValueError."""

    attention_error = AssertionError


@mistake("attn.unequal_heads_crash", part="attention")
class UnequalCrash(_OtherError):
    """Does not check the number of heads, so a wrong one ends in a RuntimeError of a tensor operation."""

    attention_error = RuntimeError


@mistake("attn.unequal_heads_index", part="attention")
class UnequalIndex(_OtherError):
    """Does not check the number of heads, so a wrong one ends in an IndexError."""

    attention_error = IndexError


class _AlsoRefuses(AttentionSteps):
    def wrongly_refuses(self, n_heads: int, n_kv_heads: int) -> bool:
        """What is turned away though it is allowed."""
        raise NotImplementedError

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        if self.wrongly_refuses(q.shape[2], k.shape[2]):
            raise ValueError("wrong number of heads")
        return super().grouped_query_attention(q, k, v, causal)


@mistake("attn.mha_rejected", part="attention")
class MhaRejected(_AlsoRefuses):
    """Wants fewer key/value heads than query heads and turns plain multi-head attention away."""

    def wrongly_refuses(self, n_heads: int, n_kv_heads: int) -> bool:
        return n_heads <= n_kv_heads


@mistake("attn.mqa_rejected", part="attention")
class MqaRejected(_AlsoRefuses):
    """Wants more than one key/value head and turns multi-query attention away."""

    def wrongly_refuses(self, n_heads: int, n_kv_heads: int) -> bool:
        return n_kv_heads == 1


@mistake("attn.divides_reversed", part="attention")
class DividesReversed(_AlsoRefuses):
    """Checks that Hq divides Hkv instead of that Hkv divides Hq, and so turns shared heads away."""

    def wrongly_refuses(self, n_heads: int, n_kv_heads: int) -> bool:
        return n_kv_heads % n_heads != 0
