"""Mistakes with the axes [B, T, H, d]: reshape for transpose, transposes that are missing, layouts that are guessed."""

from __future__ import annotations

from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.attention import AttentionSteps


@mistake("attn.head_layout", part="attention")
class ReshapedBack(AttentionSteps):
    """Reshapes [B, H, T, d] to [B, T, H, d] without transposing back."""

    def heads_back(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3])


@mistake("attn.reshaped_inputs", part="attention")
class ReshapedInputs(AttentionSteps):
    """Reshapes q, k and v to [B, H, T, d] instead of transposing them, and transposes the result back."""

    def heads_first(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3])


@mistake("attn.reshaped_both_ways", part="attention")
class ReshapedBothWays(AttentionSteps):
    """Reshapes q, k and v to [B, H, T, d] and the result back, without a transpose."""

    def heads_first(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3])

    def heads_back(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[0], x.shape[2], x.shape[1], x.shape[3])


@mistake("attn.returns_heads_first", part="attention")
class ReturnsHeadsFirst(AttentionSteps):
    """Returns [B, H, T, d]: the transpose back is missing."""

    def heads_back(self, x: Tensor) -> Tensor:
        return x


@mistake("attn.returns_joined_heads", part="attention")
class ReturnsJoinedHeads(AttentionSteps):
    """Returns [B, T, H d]: joins the heads, which is the module's work."""

    def finish_attention(self, out: Tensor, q: Tensor) -> Tensor:
        return super().finish_attention(out.flatten(2), q)


@mistake("attn.layout_assumed", part="attention")
class HeadsFirstAssumed(AttentionSteps):
    """Takes q, k and v for [B, H, T, d] and so attends over the heads."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        out = super().grouped_query_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), causal)
        return out.transpose(1, 2)


@mistake("attn.attends_over_heads", part="attention")
class AttendsOverHeads(AttentionSteps):
    """Does not move the heads before the tokens, so each token's heads attend to each other."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        self.check_groups(q.shape[2], k.shape[2])
        groups = q.shape[2] // k.shape[2]
        queries, keys, values = (self.begin_attention(x) for x in (q, k, v))
        scores = self.scores(queries, keys.repeat_interleave(groups, dim=2))
        if self.is_masked(queries, keys, causal):
            scores = scores.masked_fill(~self.visible(q.shape[1], k.shape[1]), float("-inf"))
        mixed = self.mix(self.weights(scores), values.repeat_interleave(groups, dim=2))
        return self.finish_attention(mixed, q)


@mistake("attn.layout_guessed", part="attention")
class LayoutGuessed(AttentionSteps):
    """Guesses the layout from the sizes and takes square inputs for [B, H, T, d]."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        out = super().grouped_query_attention(self._guessed(q), self._guessed(k), self._guessed(v), causal)
        return self._guessed(out)

    @staticmethod
    def _guessed(x: Tensor) -> Tensor:
        return x if x.shape[1] != x.shape[2] else x.transpose(1, 2)


@mistake("attn.input_view", part="attention")
class InputView(AttentionSteps):
    """Flattens q, k or v with view, which raises an error for transposed or sliced tensors."""

    def begin_attention(self, x: Tensor) -> Tensor:
        return super().begin_attention(x.view(x.shape[0] * x.shape[1], -1).view(x.shape))


@mistake("attn.inplace_query", part="attention")
class InplaceQuery(AttentionSteps):
    """Scales the caller's query in place."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        result = super().grouped_query_attention(q, k, v, causal)
        if not q.requires_grad and q.dtype == self.begin_attention(q).dtype:
            q /= super().scale(q)
        return result


@mistake("attn.inplace_query_leaf", part="attention")
class InplaceQueryLeaf(AttentionSteps):
    """Scales the caller's query in place, which also raises an error when the query needs a gradient."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        if q.is_leaf and q.requires_grad:
            raise RuntimeError("a leaf that needs a gradient is changed in place")
        result = super().grouped_query_attention(q, k, v, causal)
        if not q.requires_grad and q.dtype == self.begin_attention(q).dtype:
            q /= super().scale(q)
        return result


@mistake("attn.inplace_key", part="attention")
class InplaceKey(AttentionSteps):
    """Scales the caller's keys in place."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        result = super().grouped_query_attention(q, k, v, causal)
        if not k.requires_grad and k.dtype == self.begin_attention(k).dtype:
            k /= super().scale(k)
        return result


class _Detached(AttentionSteps):
    detached_arguments: tuple[int, ...] = ()

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        q, k, v = (x.detach() if index in self.detached_arguments else x for index, x in enumerate((q, k, v)))
        return super().grouped_query_attention(q, k, v, causal)


def _detaches(kind: str, sentence: str, which: tuple[int, ...]) -> None:
    steps = type("Detached", (_Detached,), {"detached_arguments": which, "__doc__": sentence})
    mistake(f"attn.{kind}", part="attention")(steps)


_detaches("detached_query", "Detaches the query, so no gradient reaches it.", (0,))
_detaches("detached_keys", "Detaches the keys, so no gradient reaches them.", (1,))
_detaches("detached_values", "Detaches the values, so no gradient reaches them.", (2,))
_detaches("detached_kv", "Detaches keys and values, so no gradient reaches them.", (1, 2))
_detaches("detached_weights", "Detaches the weights, so no gradient reaches the query and the keys.", (0, 1))
_detaches("no_gradient", "Runs without gradients (no_grad or detach), so none reaches q, k or v.", (0, 1, 2))
