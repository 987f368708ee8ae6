"""Mistakes between queries and weights: the scale, the softmax, its precision, and what it is applied to."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grader.diagnosis.mistakes.registry import mistake
from grader.diagnosis.program.attention import AttentionSteps

# -- the scale --------------------------------------------------------------------------------------------------


@mistake("attn.scale_missing", part="attention")
class ScaleMissing(AttentionSteps):
    """Does not divide the scores by sqrt(d)."""

    def scale(self, queries: Tensor) -> float:
        return 1.0


@mistake("attn.scale_inverted", part="attention")
class ScaleInverted(AttentionSteps):
    """Multiplies the scores by the root of the head width instead of dividing."""

    def scale(self, queries: Tensor) -> float:
        return 1 / super().scale(queries)


@mistake("attn.scale_without_root", part="attention")
class ScaleWithoutRoot(AttentionSteps):
    """Divides the scores by d instead of sqrt(d), or by sqrt(d) twice."""

    def scale(self, queries: Tensor) -> float:
        return float(queries.shape[-1])


@mistake("attn.scale_one_side", part="attention")
class ScaleOneSide(AttentionSteps):
    """Divides the scores by the fourth root of d: only one of q and k is scaled by it."""

    def scale(self, queries: Tensor) -> float:
        return float(queries.shape[-1] ** 0.25)


@mistake("attn.scale_dmodel", part="attention")
class ScaleDmodel(AttentionSteps):
    """Divides the scores by the root of the model width instead of the head width."""

    def scale(self, queries: Tensor) -> float:
        return math.sqrt(queries.shape[1] * queries.shape[-1])


@mistake("attn.scale_heads", part="attention")
class ScaleHeads(AttentionSteps):
    """Divides the scores by the root of the number of heads instead of the head width."""

    def scale(self, queries: Tensor) -> float:
        return math.sqrt(queries.shape[1])


@mistake("attn.scale_queries", part="attention")
class ScaleQueries(AttentionSteps):
    """Divides the scores by the root of the number of queries instead of the head width."""

    def scale(self, queries: Tensor) -> float:
        return math.sqrt(queries.shape[-2])


@mistake("attn.scale_keys", part="attention")
class ScaleKeys(AttentionSteps):
    """Divides the scores by the root of the number of keys instead of the head width."""

    def scores(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries @ keys.transpose(-1, -2) / math.sqrt(keys.shape[-2])


@mistake("attn.scale_after_softmax", part="attention")
class ScaleAfterSoftmax(AttentionSteps):
    """Divides the weights by sqrt(d) after the softmax instead of the scores before it."""

    def scale(self, queries: Tensor) -> float:
        return 1.0

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        return super().mix(weights, values) / math.sqrt(values.shape[-1])


# -- the softmax ------------------------------------------------------------------------------------------------


@mistake("attn.softmax_axis", part="attention")
class SoftmaxOverQueries(AttentionSteps):
    """Takes the softmax over the queries instead of the keys."""

    def weights(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=-2)


@mistake("attn.softmax_over_heads", part="attention")
class SoftmaxOverHeads(AttentionSteps):
    """Takes the softmax over the heads instead of the keys."""

    def weights(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=1)


@mistake("attn.softmax_over_batch", part="attention")
class SoftmaxOverBatch(AttentionSteps):
    """Takes the softmax over the batch instead of the keys."""

    def weights(self, scores: Tensor) -> Tensor:
        return torch.softmax(scores, dim=0)


@mistake("attn.softmax_missing", part="attention")
class SoftmaxMissing(AttentionSteps):
    """Uses the scores as weights, without a softmax."""

    def weights(self, scores: Tensor) -> Tensor:
        return scores


@mistake("attn.sum_missing", part="attention")
class SumMissing(AttentionSteps):
    """Takes the exponentials as weights and does not divide by their sum."""

    def weights(self, scores: Tensor) -> Tensor:
        return scores.exp()


@mistake("attn.naive_softmax", part="attention")
class NaiveSoftmax(AttentionSteps):
    """Takes exponentials without subtracting the maximum first, which overflows."""

    def weights(self, scores: Tensor) -> Tensor:
        exps = scores.exp()
        return exps / exps.sum(dim=-1, keepdim=True)


@mistake("attn.global_maximum", part="attention")
class GlobalMaximum(AttentionSteps):
    """Subtracts the maximum of all scores instead of each row's, so rows far below it underflow to 0 / 0."""

    def weights(self, scores: Tensor) -> Tensor:
        exps = (scores - scores.max()).exp()
        return exps / exps.sum(dim=-1, keepdim=True)


# -- precision --------------------------------------------------------------------------------------------------


class _Narrow(AttentionSteps):
    def begin_attention(self, x: Tensor) -> Tensor:
        return x


@mistake("attn.low_precision_softmax", part="attention")
class LowPrecisionSoftmax(_Narrow):
    """Takes the softmax by hand in the input's dtype: exponentials and their sum are rounded to bf16."""

    def weights(self, scores: Tensor) -> Tensor:
        exps = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        return exps / exps.sum(dim=-1, keepdim=True)


@mistake("attn.low_precision_running_sum", part="attention")
class LowPrecisionRunningSum(_Narrow):
    """Adds the exponentials up one key after the other in the input's dtype, where 256 + 1 is 256."""

    def weights(self, scores: Tensor) -> Tensor:
        exps = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        total = torch.zeros_like(exps[..., 0])
        for key in range(exps.shape[-1]):
            total = total + exps[..., key]
        return exps / total.unsqueeze(-1)


@mistake("attn.mixed_dtypes", part="attention")
class MixedDtypes(_Narrow):
    """Multiplies FP32 weights with bf16 values (or an FP32 query with bf16 keys), which raises an error."""

    def weights(self, scores: Tensor) -> Tensor:
        return super().weights(scores.float())


@mistake("attn.dtype_upcast", part="attention")
class DtypeUpcast(AttentionSteps):
    """Returns FP32 for bf16 inputs."""

    def finish_attention(self, out: Tensor, q: Tensor) -> Tensor:
        return out


@mistake("attn.dtype_double", part="attention")
class DtypeDouble(AttentionSteps):
    """Computes in FP64 and returns FP64 instead of the query's dtype."""

    def begin_attention(self, x: Tensor) -> Tensor:
        return x.double()

    def finish_attention(self, out: Tensor, q: Tensor) -> Tensor:
        return out


# -- what is weighted -------------------------------------------------------------------------------------------


@mistake("attn.values_are_keys", part="attention")
class ValuesAreKeys(AttentionSteps):
    """Weights the keys instead of the values."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        return super().grouped_query_attention(q, k, k, causal)


@mistake("attn.kv_swapped", part="attention")
class KeysAndValuesSwapped(AttentionSteps):
    """Exchanges k and v: compares the queries with the values and weights the keys."""

    def grouped_query_attention(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
        return super().grouped_query_attention(q, v, k, causal)
