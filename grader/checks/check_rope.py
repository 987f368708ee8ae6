"""Sections 4.4 and 4.5: rotary position embedding, one rotation at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student


@check(
    "rope.frequencies",
    section="4.4",
    catches=(
        "rope.freq_exponent",
        "rope.freq_fp64",
        "rope.freq_index_shift",
        "rope.freq_inverted",
        "rope.freq_repeated",
    ),
    cases=((8, None), (64, None), (6, 500.0), (2, None)),
)
def check_frequencies(student: Student, oracle: Oracle, case: tuple[int, float | None]) -> None:
    """rope_frequencies gives theta_r = base^(-2r/d): d/2 values in FP32.

    r counts from 0, so theta_0 = 1. d = 4: [1, 0.01]. The exponent has 2r, the index of the pair's first component.
    """
    head_dim, base = case

    actual = student.rope_frequencies(head_dim, base)

    oracle.rope_frequencies(head_dim, base or 10000.0).accepts(actual)


@check("rope.frequency-errors", section="4.4", catches=("rope.odd_dim_accepted",), cases=(7, 0, -4))
def check_frequency_errors(student: Student, case: int) -> None:
    """rope_frequencies raises ValueError when d is odd or not positive.

    Pairs need an even d. The message should name the argument, its value and the rule.
    """
    refusal = student.refuses("rope_frequencies", {"head_dim": case})

    refusal.must_be_value_error("rope_frequencies", f"head_dim = {case}")


@check(
    "rope.cos-sin-shapes",
    section="4.5",
    catches=("rope.cos_sin_no_head_axis", "rope.fp16_tables"),
    cases=("[T]", "[B, T]"),
)
def check_cos_sin_shapes(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """rope_cos_sin gives FP32 tables [1, T, 1, d/2] for positions [T], and [B, T, 1, d/2] for [B, T].

    The axis of size 1 in third place broadcasts over the heads of [B, T, H, d].
    """
    positions = draw.arange(0, 5) if case == "[T]" else draw.rows((0, 1, 2, 3, 4), (3, 4, 5, 6, 7))

    cos, sin = student.rope_cos_sin(positions, 8)

    expected_cos, expected_sin = oracle.rope_cos_sin(positions, 8)
    expected_cos.has_form(cos)
    expected_sin.has_form(sin)


@check("rope.cos-sin-values", section="4.5", catches=("rope.degrees",), cases=(None, 500.0))
def check_cos_sin_values(student: Student, oracle: Oracle, draw: Inputs, case: float | None) -> None:
    """rope_cos_sin gives cos and sin of position times theta_r, in radians.

    d = 4, position 1: cos [0.5403, 0.99995], sin [0.8415, 0.0100].
    """
    positions = draw.positions(0, 1, 2, 5, 9)

    cos, sin = student.rope_cos_sin(positions, 8, case)

    expected_cos, expected_sin = oracle.rope_cos_sin(positions, 8, case or 10000.0)
    expected_cos.accepts(cos)
    expected_sin.accepts(sin)


@check(
    "rope.adjacent-pairs",
    section="4.4",
    catches=(
        "rope.concat_output",
        "rope.degrees",
        "rope.freq_layout",
        "rope.half_split",
        "rope.position_from_one",
        "rope.sign",
    ),
    cases=("chapter", "random"),
)
def check_adjacent_pairs(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """RoPE rotates the pairs (0,1), (2,3), ... by +p theta_r and puts them back where they were.

    (a, b) -> (a cos - b sin, a sin + b cos), angle p theta_r, components interleaved again.
    d = 4: q = [1, 2, 3, 4] at position 1 -> [-1.1426, 1.9221, 2.9599, 4.0298]; k = [4, 3, 2, 1] at position 3 ->
    [-4.3833, -2.4055, 1.9691, 1.0595]; their dot product is 10.4830, the same at (11, 13).
    With the other sign of sin it would be 1.1901, with pairs (0,2), (1,3) it would be 15.1295.
    """
    chapter = [[[[0.0, 0.0, 0.0, 0.0]], [[1.0, 2.0, 3.0, 4.0]], [[4.0, 3.0, 2.0, 1.0]], [[4.0, 3.0, 2.0, 1.0]]]]
    x = draw.tensor(chapter) if case == "chapter" else draw.normal(2, 5, 3, 8)
    positions = draw.arange(0, x.shape[1])

    actual = student.apply_rope(x, positions)

    oracle.apply_rope(x, positions).accepts(actual)


@check("rope.base", section="4.4", catches=("rope.base_hardcoded",), cases=(500000.0, 100.0))
def check_base(student: Student, oracle: Oracle, draw: Inputs, case: float) -> None:
    """apply_rope uses the base that it is given.

    theta_r = base^(-2r/d); 10000 is only the default.
    """
    x, positions = draw.normal(2, 5, 3, 8), draw.arange(0, 5)

    actual = student.apply_rope(x, positions, case)

    oracle.apply_rope(x, positions, case).accepts(actual)


@check("rope.dtype", section="4.5", catches=("rope.dtype_upcast",), cases=("bf16", "fp32"))
def check_dtype(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """apply_rope returns its input's dtype: bf16 for bf16, FP32 for FP32.

    Cast back to x.dtype at the very end; an FP32 table times a bf16 x is FP32.
    """
    x, positions = draw.normal(2, 5, 3, 8, dtype=case), draw.arange(0, 5)

    actual = student.apply_rope(x, positions)

    oracle.apply_rope(x, positions).has_form(actual)


@check(
    "rope.precision",
    section="4.5",
    catches=(
        "rope.fp16_inside",
        "rope.fp16_tables",
        "rope.low_precision_inv_freq",
        "rope.low_precision_positions",
        "rope.low_precision_tables",
        "rope.rounded_pi",
        "rope.through_fp16",
        "rope.truncation",
    ),
    cases=("random", "cancelling"),
)
def check_precision(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """RoPE computes in FP32 for bf16 inputs (positions, frequencies, cos, sin, products) and rounds once, at the end.

    bf16 holds whole numbers exactly only up to 256, and cos, sin with 8 bits: computed in bf16, position 257 is 256.
    Cast x up, keep the tables FP32, cast the result to bf16 once.
    """
    positions = draw.far_positions()
    x = draw.normal(2, 16, 2, 32, dtype="bf16") if case == "random" else draw.cancelling_pairs(positions, heads=4, d=32)

    actual = student.apply_rope(x, positions)

    oracle.apply_rope(x, positions).accepts(actual, any_dtype=True)


@check(
    "rope.no-side-effects",
    section="4.5",
    catches=("rope.inplace_input", "rope.input_view"),
    cases=("fp32", "transposed", "sliced", "one row", "inference"),
)
def check_no_side_effects(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """apply_rope leaves x and positions alone, and accepts views.

    x.float() of an FP32 x is x itself: rotating it in place changes the caller's tensor.
    """
    x = {
        "transposed": draw.normal(2, 3, 5, 8).transpose(1, 2),
        "sliced": draw.normal(2, 9, 3, 8)[:, 2:7],
        "one row": draw.normal(4, 5, 3, 8)[1:2],
    }.get(case, draw.normal(2, 5, 3, 8))
    positions = draw.arange(0, 5)

    actual = student.apply_rope(x, positions, mode="inference" if case == "inference" else None)

    student.must_not_mutate("apply_rope")
    oracle.apply_rope(x, positions).coarse().accepts(actual)


@check(
    "rope.errors",
    section="4.5",
    catches=("rope.odd_dim_accepted", "rope.positions_unchecked"),
    cases=("odd d", "positions too long", "positions too short", "too many rows"),
)
def check_errors(student: Student, draw: Inputs, case: str) -> None:
    """apply_rope raises ValueError for an odd d and for positions that are neither [T] nor [B, T].

    The message should name the argument, its value and the rule. Broadcasting must not hide a wrong shape.
    """
    x = draw.normal(2, 5, 3, 7 if case == "odd d" else 8)
    positions = {
        "odd d": draw.arange(0, 5),
        "positions too long": draw.arange(0, 6),
        "positions too short": draw.arange(0, 1),
        "too many rows": draw.rows(*[range(5)] * 3),
    }[case]

    refusal = student.refuses("apply_rope", {"x": x, "positions": positions})

    refusal.must_be_value_error("apply_rope", f"x {list(x.shape)}, positions {list(positions.shape)}")


@check("rope.gradients", section="4.4", catches=("rope.no_grad",))
def check_gradients(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """The gradient of apply_rope reaches x and is right: rotated back by the same angles.

    R_p is orthogonal, so the gradient of x is R_p^T times the gradient of the output. Detours by numpy or .data lose
    it.
    """
    arguments = {"x": draw.normal(2, 5, 3, 8), "positions": draw.arange(0, 5)}
    cotangent = draw.normal(2, 5, 3, 8)

    actual = student.gradients("apply_rope", arguments, cotangent)

    oracle.function_gradients("apply_rope", arguments, cotangent).accepts(actual)
