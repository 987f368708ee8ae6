"""Mistakes in the causal mask: who sees whom, and how the others are hidden."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.attention import AttentionSteps

# -- when the mask is applied -----------------------------------------------------------------------------------


@mistake("attn.always_causal", part="attention")
class AlwaysCausal(AttentionSteps):
    """Masks the future even with causal=False."""

    def is_masked(self, queries: Tensor, keys: Tensor, causal: bool) -> bool:
        return True


@mistake("attn.never_causal", part="attention")
class NeverCausal(AttentionSteps):
    """Never masks the future, even with causal=True."""

    def is_masked(self, queries: Tensor, keys: Tensor, causal: bool) -> bool:
        return False


@mistake("attn.causal_reversed", part="attention")
class CausalReversed(AttentionSteps):
    """Masks the future with causal=False and shows it with causal=True."""

    def is_masked(self, queries: Tensor, keys: Tensor, causal: bool) -> bool:
        return not causal


@mistake("attn.default_not_causal", part="attention")
class DefaultNotCausal(AttentionSteps):
    """Has causal=False as default, so calls that do not say causal see the future."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
        return super().grouped_query_attention(q, k, v, causal)


@mistake("attn.no_mask_with_cache", part="attention")
class NoMaskWithCache(AttentionSteps):
    """Masks only when there are as many queries as keys, so the tokens of a chunk see each other."""

    def is_masked(self, queries: Tensor, keys: Tensor, causal: bool) -> bool:
        return causal and queries.shape[-2] == keys.shape[-2]


# -- which keys it hides ----------------------------------------------------------------------------------------


@mistake("attn.causal_topleft", part="attention")
class TopLeft(AttentionSteps):
    """Aligns the causal mask at the top left, so with a history query i only sees keys 0 to i."""

    def diagonal(self, n_queries: int, n_keys: int) -> int:
        return 0


@mistake("attn.mask_peek_next", part="attention")
class PeeksNext(AttentionSteps):
    """Sets the diagonal one too far, so every query sees the next token."""

    def diagonal(self, n_queries: int, n_keys: int) -> int:
        return super().diagonal(n_queries, n_keys) + 1


@mistake("attn.mask_strict", part="attention")
class HidesItself(AttentionSteps):
    """Sets the diagonal one too short, so a query does not see its own token and the first one sees nothing."""

    def diagonal(self, n_queries: int, n_keys: int) -> int:
        return super().diagonal(n_queries, n_keys) - 1


@mistake("attn.mask_offset_short", part="attention")
class OffsetShort(AttentionSteps):
    """Counts one key too few as history, so with a history a query does not see its own token."""

    def diagonal(self, n_queries: int, n_keys: int) -> int:
        return max(n_keys - n_queries - 1, 0)


@mistake("attn.mask_offset_long", part="attention")
class OffsetLong(AttentionSteps):
    """Counts one key too many as history, so with a history every query sees the next token."""

    def diagonal(self, n_queries: int, n_keys: int) -> int:
        history = n_keys - n_queries
        return history + 1 if history else 0


@mistake("attn.mask_hides_history", part="attention")
class HidesHistory(AttentionSteps):
    """Lets queries see the new keys only, never the history."""

    def visible(self, n_queries: int, n_keys: int) -> Tensor:
        return super().visible(n_queries, n_keys) & (torch.arange(n_keys) >= n_keys - n_queries)


@mistake("attn.mask_polarity", part="attention")
class Polarity(AttentionSteps):
    """Inverts the mask: sees the future and hides the past and its own token."""

    def visible(self, n_queries: int, n_keys: int) -> Tensor:
        return ~super().visible(n_queries, n_keys)


@mistake("attn.mask_future_only", part="attention")
class FutureOnly(AttentionSteps):
    """Takes the upper triangle instead of the lower one: sees its own token and the future, and hides the past."""

    def visible(self, n_queries: int, n_keys: int) -> Tensor:
        return torch.ones(n_queries, n_keys, dtype=torch.bool).triu(self.diagonal(n_queries, n_keys))


# -- how it hides them ------------------------------------------------------------------------------------------


class _FiniteFill(AttentionSteps):
    def masked(self, scores: Tensor) -> Tensor:
        return scores.masked_fill(~self.visible(scores.shape[-2], scores.shape[-1]), -1e9)


@mistake("attn.mask_polarity_finite", part="attention")
class PolarityFinite(_FiniteFill):
    """Inverts the mask (filled with a large negative number): sees the future and hides the past and its own token."""

    def visible(self, n_queries: int, n_keys: int) -> Tensor:
        return ~super().visible(n_queries, n_keys)


@mistake("attn.mask_strict_finite", part="attention")
class HidesItselfFinite(_FiniteFill):
    """Sets the diagonal one too short (filled with a large negative number), so a query does not see its own token."""

    def diagonal(self, n_queries: int, n_keys: int) -> int:
        return super().diagonal(n_queries, n_keys) - 1


@mistake("attn.mask_by_zero", part="attention")
class MaskByZero(AttentionSteps):
    """Sets masked scores to 0 instead of minus infinity, so the future still gets weight."""

    def masked(self, scores: Tensor) -> Tensor:
        return scores * self.visible(scores.shape[-2], scores.shape[-1])


@mistake("attn.mask_by_minus_one", part="attention")
class MaskByMinusOne(AttentionSteps):
    """Sets masked scores to -1 instead of minus infinity, so the future still gets weight."""

    def masked(self, scores: Tensor) -> Tensor:
        return scores.masked_fill(~self.visible(scores.shape[-2], scores.shape[-1]), -1.0)


@mistake("attn.mask_too_small", part="attention")
class MaskTooSmall(AttentionSteps):
    """Hides scores with about -100 instead of minus infinity, which is not small enough when logits are large."""

    def masked(self, scores: Tensor) -> Tensor:
        return scores.masked_fill(~self.visible(scores.shape[-2], scores.shape[-1]), -100.0)


@mistake("attn.mask_added", part="attention")
class MaskAdded(AttentionSteps):
    """Adds the mask of ones and zeros to the scores, which hides nothing."""

    def masked(self, scores: Tensor) -> Tensor:
        return scores + self.visible(scores.shape[-2], scores.shape[-1])


@mistake("attn.mask_nan", part="attention")
class MaskNan(AttentionSteps):
    """Multiplies the mask by minus infinity: 0 times infinity is NaN, and NaN spreads to every output."""

    def masked(self, scores: Tensor) -> Tensor:
        return scores + (~self.visible(scores.shape[-2], scores.shape[-1])) * -math.inf


@mistake("attn.mask_after_softmax", part="attention")
class MaskAfterSoftmax(AttentionSteps):
    """Masks the weights after the softmax, so the weights that stay no longer sum to 1."""

    _hide = False

    def is_masked(self, queries: Tensor, keys: Tensor, causal: bool) -> bool:
        self._hide = super().is_masked(queries, keys, causal)
        return False

    def weights(self, scores: Tensor) -> Tensor:
        weights = super().weights(scores)
        return weights * self.visible(scores.shape[-2], scores.shape[-1]) if self._hide else weights


class _KeptMask(AttentionSteps):
    lasting = True

    def kept_masks(self) -> dict[Any, Tensor]:
        """Masks of earlier calls."""
        masks: dict[Any, Tensor] = self.__dict__.setdefault("_masks_of_earlier_calls", {})
        return masks


@mistake("attn.mask_kept", part="attention")
class MaskKept(_KeptMask):
    """Keeps the mask of the first call for all later calls, whatever their sizes."""

    def visible(self, n_queries: int, n_keys: int) -> Tensor:
        return self.kept_masks().setdefault("first", super().visible(n_queries, n_keys))


@mistake("attn.mask_kept_by_keys", part="attention")
class MaskKeptByKeys(_KeptMask):
    """Keeps masks by the number of keys only, so a call with fewer queries gets the mask of an earlier one."""

    def visible(self, n_queries: int, n_keys: int) -> Tensor:
        return self.kept_masks().setdefault(n_keys, super().visible(n_queries, n_keys))
