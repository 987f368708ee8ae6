"""Sections 4.3 and 4.7: the attention function, without projections, positions or cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student


@check(
    "attention.values",
    section="4.7",
    catches=("attn.head_layout", "attn.scale_dmodel", "attn.scale_inverted", "attn.softmax_axis"),
    cases=((2, 4, 6, 2, 8), (1, 1, 5, 3, 4)),
)
def check_values(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """Attention is softmax(q k^T / sqrt(d)) v, head by head, with the softmax over the keys.

    d is the width of one head, not of the model; each query's weights sum to 1 over the keys that it sees.
    """
    batch, tokens, seen, heads, width = case
    q = draw.normal(batch, tokens, heads, width)
    k, v = draw.normal(batch, seen, heads, width), draw.normal(batch, seen, heads, width)

    actual = student.grouped_query_attention(q, k, v, causal=False)

    oracle.grouped_query_attention(q, k, v, causal=False).accepts(actual)


@check("attention.head-mapping", section="4.7", catches=("attn.head_tile",), cases=((8, 2), (6, 3), (8, 4)))
def check_head_mapping(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, int]) -> None:
    """Query head h reads key/value head h // (Hq / Hkv).

    Hq = 8, Hkv = 2: heads 0-3 read 0, heads 4-7 read 1 (repeat_interleave). Tiling (repeat) would give 0, 1, 0, 1, ...
    """
    n_heads, n_kv_heads = case
    q = draw.normal(2, 3, n_heads, 4)
    k, v = draw.normal(2, 5, n_kv_heads, 4), draw.normal(2, 5, n_kv_heads, 4)

    actual = student.grouped_query_attention(q, k, v, causal=False)

    oracle.grouped_query_attention(q, k, v, causal=False).accepts(actual)


@check(
    "attention.mha-mqa-ends", section="4.7", catches=("attn.group_shares_weights", "attn.mha_rejected"), cases=(4, 1)
)
def check_ends(student: Student, oracle: Oracle, draw: Inputs, case: int) -> None:
    """GQA holds both ends: Hkv = Hq is multi-head attention, Hkv = 1 is multi-query attention.

    With Hkv = Hq every query head has its own keys and values; with Hkv = 1 all share one.
    """
    q, k, v = draw.normal(2, 5, 4, 8), draw.normal(2, 5, case, 8), draw.normal(2, 5, case, 8)

    actual = student.grouped_query_attention(q, k, v)

    oracle.grouped_query_attention(q, k, v).accepts(actual)


@check("attention.grouped-equals-repeated", section="4.7", catches=("attn.group_shares_weights", "attn.head_tile"))
def check_grouped_equals_repeated(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """Grouped keys and values give the same as keys and values repeated for every query head.

    GQA(q, k, v) = MHA(q, repeat_interleave(k), repeat_interleave(v)): sharing saves memory, it changes no number.
    """
    q, k, v = draw.normal(2, 4, 6, 8), draw.normal(2, 4, 2, 8), draw.normal(2, 4, 2, 8)

    grouped = student.grouped_query_attention(q, k, v)
    repeated = student.grouped_query_attention(q, k.repeat_interleave(3, dim=2), v.repeat_interleave(3, dim=2))

    expected = oracle.grouped_query_attention(q, k, v)
    expected.accepts(repeated)
    expected.accepts(grouped)


@check(
    "attention.causal",
    section="4.3",
    catches=("attn.mask_by_zero", "attn.mask_peek_next", "attn.mask_polarity"),
    cases=("causal", "default"),
)
def check_causal(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """With T = S, query i sees keys 0 .. i and nothing later; causal is the default.

    Hidden scores are -inf before the softmax (a zero there still gets weight e^0).
    """
    q, k, v = draw.normal(2, 6, 2, 8), draw.normal(2, 6, 2, 8), draw.normal(2, 6, 2, 8)

    actual = student.grouped_query_attention(q, k, v, causal=True if case == "causal" else None)

    oracle.grouped_query_attention(q, k, v).accepts(actual)


@check(
    "attention.causal-offset",
    section="4.7",
    catches=("attn.causal_topleft", "attn.mask_peek_next", "attn.no_mask_with_cache"),
    cases=((1, 7), (3, 8), (5, 6)),
)
def check_causal_offset(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, int]) -> None:
    """With T < S, query i sees keys 0 .. S - T + i: the queries are the last T tokens.

    T = 1, S = 7 (one decoding step): the query sees all seven keys. The mask's diagonal ends at the bottom right.
    """
    tokens, seen = case
    q, k, v = draw.normal(2, tokens, 2, 8), draw.normal(2, seen, 2, 8), draw.normal(2, seen, 2, 8)

    actual = student.grouped_query_attention(q, k, v)

    oracle.grouped_query_attention(q, k, v).accepts(actual)


@check("attention.non-causal", section="4.3", catches=("attn.always_causal",))
def check_non_causal(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """With causal=False every query sees every key, so permuting the tokens permutes the output.

    Attn(P x) = P Attn(x): without positions and mask, attention knows no order.
    """
    q, k, v = draw.normal(2, 5, 4, 8), draw.normal(2, 5, 2, 8), draw.normal(2, 5, 2, 8)
    order = draw.permutation(5)

    actual = student.grouped_query_attention(q[:, order], k[:, order], v[:, order], causal=False)

    oracle.grouped_query_attention(q[:, order], k[:, order], v[:, order], causal=False).accepts(actual)


@check(
    "attention.axes",
    section="4.7",
    catches=("attn.layout_guessed",),
    cases=((2, 4, 4, 4, 2, 8), (4, 3, 3, 4, 4, 8), (2, 2, 4, 4, 2, 2), (1, 8, 8, 8, 8, 4)),
)
def check_axes(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """Q is [B, T, Hq, d], k and v are [B, S, Hkv, d], the output is [B, T, Hq, d], also when sizes coincide.

    With T = Hq or B = Hq, code that reads another layout runs without an error and is wrong.
    """
    batch, tokens, seen, n_heads, n_kv_heads, width = case
    q = draw.normal(batch, tokens, n_heads, width)
    k, v = draw.normal(batch, seen, n_kv_heads, width), draw.normal(batch, seen, n_kv_heads, width)

    actual = student.grouped_query_attention(q, k, v, causal=False)

    oracle.grouped_query_attention(q, k, v, causal=False).accepts(actual)


@check("attention.large-logits", section="4.7", catches=("attn.naive_softmax",), cases=("fp32", "bf16"))
def check_large_logits(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The softmax stays finite and right when logits are in the hundreds.

    e^300 overflows FP32: subtract the row's maximum first, as torch.softmax does.
    """
    q, k = draw.powers_of_two(1, 4, 2, 8, low=4, high=4, dtype=case), draw.normal(1, 4, 2, 8, scale=16, dtype=case)
    v = draw.normal(1, 4, 2, 8, dtype=case)

    actual = student.grouped_query_attention(q, k, v)

    oracle.grouped_query_attention(q, k, v).coarse(case == "bf16").accepts(actual, any_dtype=True)


@check("attention.dtype", section="4.7", catches=("attn.dtype_upcast",), cases=("bf16", "fp32"))
def check_dtype(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """Attention returns q's dtype: bf16 for bf16, FP32 for FP32.

    Weights that were computed in FP32 are cast back before, or after, the product with v.
    """
    q, k, v = (
        draw.normal(2, 3, 4, 8, dtype=case),
        draw.normal(2, 5, 2, 8, dtype=case),
        draw.normal(2, 5, 2, 8, dtype=case),
    )

    actual = student.grouped_query_attention(q, k, v)

    oracle.grouped_query_attention(q, k, v).has_form(actual)


@check(
    "attention.softmax-precision",
    section="4.7",
    catches=("attn.low_precision_running_sum", "attn.low_precision_softmax"),
    cases=(257, 259, 263),
)
def check_softmax_precision(student: Student, oracle: Oracle, draw: Inputs, case: int) -> None:
    """The softmax's sum is FP32, also for bf16 inputs.

    S equal logits weigh 1/S each, so equal values v come out as v. A sum in bf16 has 8 bits: 257 times 1 sums to 256,
    and v = 1.9921875 comes out as 2.
    """
    q, k = draw.full(1, 1, 2, 8, value=0, dtype="bf16"), draw.normal(1, case, 2, 8, dtype="bf16")
    v = draw.full(1, case, 2, 8, value=255 / 128, dtype="bf16")

    actual = student.grouped_query_attention(q, k, v)

    truth = draw.full(1, 1, 2, 8, value=255 / 128, dtype="bf16")
    oracle.exactly(truth, like=truth, axes="B T Hq d", name="grouped_query_attention").accepts(actual, any_dtype=True)


@check("attention.errors", section="4.7", catches=("attn.unequal_heads_accepted",), cases=((6, 4), (3, 2), (2, 4)))
def check_errors(student: Student, draw: Inputs, case: tuple[int, int]) -> None:
    """grouped_query_attention raises ValueError when Hkv does not divide Hq.

    The message should name the argument, its value and the rule.
    """
    n_heads, n_kv_heads = case
    q, k, v = draw.normal(1, 3, n_heads, 4), draw.normal(1, 3, n_kv_heads, 4), draw.normal(1, 3, n_kv_heads, 4)

    refusal = student.refuses("grouped_query_attention", {"q": q, "k": k, "v": v})

    refusal.must_be_value_error("grouped_query_attention", f"Hq = {n_heads}, Hkv = {n_kv_heads}")


@check(
    "attention.no-side-effects",
    section="4.7",
    catches=("attn.inplace_query", "attn.input_view"),
    cases=("transposed", "sliced", "one row"),
)
def check_no_side_effects(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """Attention leaves q, k and v alone, accepts views, and does not depend on earlier calls.

    A mask kept from a call of another length is wrong; q *= scale changes the caller's q.
    """
    q, k, v = {
        "transposed": (draw.normal(2, heads, 5, 8).transpose(1, 2) for heads in (4, 2, 2)),
        "sliced": (draw.normal(2, 9, heads, 8)[:, 3:8] for heads in (4, 2, 2)),
        "one row": (draw.normal(3, 5, heads, 8)[1:2] for heads in (4, 2, 2)),
    }[case]

    student.grouped_query_attention(q[:, -2:], k, v)
    actual = student.grouped_query_attention(q, k, v)

    student.must_not_mutate("grouped_query_attention")
    oracle.grouped_query_attention(q, k, v).accepts(actual)


@check("attention.gradients", section="4.7", catches=("attn.detached_keys",))
def check_gradients(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """Gradients of attention reach q, k and v, and are right.

    Shared keys and values collect the gradients of all their query heads.
    """
    arguments = {"q": draw.normal(2, 3, 4, 8), "k": draw.normal(2, 5, 2, 8), "v": draw.normal(2, 5, 2, 8)}
    cotangent = draw.normal(2, 3, 4, 8)

    actual = student.gradients("grouped_query_attention", arguments, cotangent)

    oracle.function_gradients("grouped_query_attention", arguments, cotangent).accepts(actual)


@check(
    "attention.cache-bytes",
    section="4.7",
    catches=("attn.bytes_keys_only",),
    cases=((1, 1, 1, 1, 2, 1), (4, 4096, 32, 8, 128, 2), (3, 100, 5, 2, 6, 4)),
)
def check_cache_bytes(student: Student, oracle: Oracle, case: tuple[int, ...]) -> None:
    """kv_cache_bytes = 2 layers B S Hkv d bytes: keys and values, Hkv heads, never Hq.

    32 layers, B = 4, S = 4096, Hkv = 8, d = 128, bf16: 2 * 32 * 4 * 4096 * 8 * 128 * 2 = 2147483648 bytes.
    """
    actual = student.kv_cache_bytes(*case)

    oracle.kv_cache_bytes(*case).accept([actual])
