"""Mistakes of the attention module between its projections: rotation, heads, and the mask."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.attention import AttentionModule, AttentionSteps

# -- what is rotated --------------------------------------------------------------------------------------------


@mistake("gqa.q_not_rotated", part="gqa")
class QueriesNotRotated(AttentionSteps):
    """Rotates K and leaves Q as it is."""

    def rotate_queries(self, m: AttentionModule, q: Tensor, positions: Tensor) -> Tensor:
        return q


@mistake("gqa.k_not_rotated", part="gqa")
class KeysNotRotated(AttentionSteps):
    """Rotates Q and leaves K as it is."""

    def rotate_keys(self, m: AttentionModule, k: Tensor, positions: Tensor) -> Tensor:
        return k


@mistake("gqa.not_rotated", part="gqa")
class NotRotated(AttentionSteps):
    """Rotates neither Q nor K."""

    def rotate_queries(self, m: AttentionModule, q: Tensor, positions: Tensor) -> Tensor:
        return q

    def rotate_keys(self, m: AttentionModule, k: Tensor, positions: Tensor) -> Tensor:
        return k


@mistake("gqa.v_rotated", part="gqa")
class ValuesRotated(AttentionSteps):
    """Rotates V along with Q and K."""

    def rotate_values(self, m: AttentionModule, v: Tensor, positions: Tensor) -> Tensor:
        return self.apply_rope(v, positions, m.base)


@mistake("gqa.rotated_twice", part="gqa")
class RotatedTwice(AttentionSteps):
    """Rotates Q and K twice."""

    def rotate_queries(self, m: AttentionModule, q: Tensor, positions: Tensor) -> Tensor:
        return super().rotate_queries(m, super().rotate_queries(m, q, positions), positions)

    def rotate_keys(self, m: AttentionModule, k: Tensor, positions: Tensor) -> Tensor:
        return super().rotate_keys(m, super().rotate_keys(m, k, positions), positions)


@mistake("gqa.rotated_before_heads", part="gqa")
class RotatedBeforeHeads(AttentionSteps):
    """Rotates Q and K in their full width, before they are split into heads."""

    def rotate_queries(self, m: AttentionModule, q: Tensor, positions: Tensor) -> Tensor:
        return super().rotate_queries(m, q.flatten(2).unsqueeze(2), positions).reshape(q.shape)

    def rotate_keys(self, m: AttentionModule, k: Tensor, positions: Tensor) -> Tensor:
        return super().rotate_keys(m, k.flatten(2).unsqueeze(2), positions).reshape(k.shape)


# -- the base ---------------------------------------------------------------------------------------------------


@mistake("gqa.base_dropped", part="gqa")
class BaseDropped(AttentionSteps):
    """Keeps its base and never hands it to the rotation."""

    def module_base(self, base: float) -> float:
        return 10000.0


@mistake("gqa.base_dropped_for_keys", part="gqa")
class BaseDroppedForKeys(AttentionSteps):
    """Hands its base to the rotation of Q but not to that of K."""

    def rotate_keys(self, m: AttentionModule, k: Tensor, positions: Tensor) -> Tensor:
        return self.apply_rope(k, positions)


@mistake("gqa.base_dropped_for_queries", part="gqa")
class BaseDroppedForQueries(AttentionSteps):
    """Hands its base to the rotation of K but not to that of Q."""

    def rotate_queries(self, m: AttentionModule, q: Tensor, positions: Tensor) -> Tensor:
        return self.apply_rope(q, positions)


# -- heads ------------------------------------------------------------------------------------------------------


@mistake("gqa.heads_tiled", part="gqa")
class HeadsTiled(AttentionSteps):
    """Tiles the key/value heads inside the module, so query heads read the wrong ones."""

    def attention_of_module(self, m: AttentionModule, q: Tensor, k: Tensor, v: Tensor, cache: Any) -> Tensor:
        groups = q.shape[2] // k.shape[2]
        return super().attention_of_module(m, q, k.repeat(1, 1, groups, 1), v.repeat(1, 1, groups, 1), cache)


@mistake("gqa.heads_reshaped", part="gqa")
class HeadsReshaped(AttentionSteps):
    """Reshapes [B, T, H d] to [B, H, T, d] when it splits heads, instead of splitting first and then transposing."""

    def split_heads(self, y: Tensor, n_heads: int) -> Tensor:
        return y.reshape(y.shape[0], n_heads, y.shape[1], -1).transpose(1, 2)


@mistake("gqa.heads_interleaved", part="gqa")
class HeadsInterleaved(AttentionSteps):
    """Splits the width as [d, H] instead of [H, d], so each head takes every H-th component."""

    def split_heads(self, y: Tensor, n_heads: int) -> Tensor:
        return y.reshape(*y.shape[:2], -1, n_heads).transpose(-1, -2)


@mistake("gqa.head_layout", part="gqa")
class JoinedWithoutTranspose(AttentionSteps):
    """Joins heads from [B, H, T, d] without transposing back, so tokens and heads mix before w_o."""

    def joined_heads(self, mixed: Tensor) -> Tensor:
        return mixed.transpose(1, 2).reshape(mixed.shape[0], mixed.shape[1], -1)


@mistake("gqa.heads_joined_interleaved", part="gqa")
class JoinedInterleaved(AttentionSteps):
    """Joins heads as [d, H] instead of [H, d] before w_o."""

    def joined_heads(self, mixed: Tensor) -> Tensor:
        return super().joined_heads(mixed.transpose(-1, -2))


# -- around the attention ---------------------------------------------------------------------------------------


@mistake("gqa.kv_swapped", part="gqa")
class KeysAndValuesSwapped(AttentionSteps):
    """Takes keys from w_v and values from w_k."""

    def projected(self, m: AttentionModule, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = super().projected(m, x)
        return q, v, k


@mistake("gqa.no_output_projection", part="gqa")
class NoOutputProjection(AttentionSteps):
    """Returns the joined heads without w_o."""

    def projected_out(self, m: AttentionModule, joined: Tensor) -> Tensor:
        return joined


@mistake("gqa.residual_added", part="gqa")
class ResidualAdded(AttentionSteps):
    """Adds x to the result, which is the block's work."""

    def finish_module(self, y: Tensor, x: Tensor) -> Tensor:
        return super().finish_module(y, x) + x


@mistake("gqa.scaled_again", part="gqa")
class ScaledAgain(AttentionSteps):
    """Scales the queries by 1 / sqrt(d) although the attention function does so itself."""

    def attention_of_module(self, m: AttentionModule, q: Tensor, k: Tensor, v: Tensor, cache: Any) -> Tensor:
        return super().attention_of_module(m, q / math.sqrt(m.head_dim), k, v, cache)


@mistake("gqa.never_masked", part="gqa")
class NeverMasked(AttentionSteps):
    """Attends without the causal mask."""

    def attention_of_module(self, m: AttentionModule, q: Tensor, k: Tensor, v: Tensor, cache: Any) -> Tensor:
        return self.grouped_query_attention(q, k, v, causal=False)


@mistake("gqa.chunk_unmasked", part="gqa")
class ChunkUnmasked(AttentionSteps):
    """Masks only without a cache, so the tokens of a cached chunk see each other."""

    def attention_of_module(self, m: AttentionModule, q: Tensor, k: Tensor, v: Tensor, cache: Any) -> Tensor:
        return self.grouped_query_attention(q, k, v, causal=cache is None)


@mistake("gqa.later_chunks_unmasked", part="gqa")
class LaterChunksUnmasked(AttentionSteps):
    """Masks the first chunk only, so the tokens of later chunks see each other."""

    def attention_of_module(self, m: AttentionModule, q: Tensor, k: Tensor, v: Tensor, cache: Any) -> Tensor:
        return self.grouped_query_attention(q, k, v, causal=q.shape[1] == k.shape[1])


@mistake("gqa.masked_only_with_cache", part="gqa")
class MaskedOnlyWithCache(AttentionSteps):
    """Masks only with a cache, so without one every token sees the future."""

    def attention_of_module(self, m: AttentionModule, q: Tensor, k: Tensor, v: Tensor, cache: Any) -> Tensor:
        return self.grouped_query_attention(q, k, v, causal=cache is not None)


@mistake("gqa.topleft_mask", part="gqa")
class TopLeftMask(AttentionSteps):
    """Aligns its own causal mask at the top left, so a new token sees the start of the history only."""

    def attention_of_module(self, m: AttentionModule, q: Tensor, k: Tensor, v: Tensor, cache: Any) -> Tensor:
        rows = [
            super(TopLeftMask, self).attention_of_module(m, q[:, i : i + 1], k[:, : i + 1], v[:, : i + 1], cache)
            for i in range(q.shape[1])
        ]
        return torch.cat(rows, dim=1)
