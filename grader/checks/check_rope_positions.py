"""Section 4.5: which position each token of RoPE turns by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student


@check(
    "rope.head-axis",
    section="4.5",
    catches=("rope.positions_from_heads", "rope.wrong_axis_heads"),
    cases=((2, 4, 4, 8), (3, 5, 3, 8), (1, 3, 5, 4), (4, 4, 4, 4)),
)
def check_head_axis(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, int, int, int]) -> None:
    """Positions run over T, the second axis of [B, T, H, d], also when T = H or B = H.

    All heads of one token turn by the same angles. Code for [B, H, T, d] must transpose first.
    """
    x, positions = draw.normal(*case), draw.arange(0, case[1])

    actual = student.apply_rope(x, positions)

    oracle.apply_rope(x, positions).accepts(actual)


@check("rope.position-zero", section="4.4", catches=("rope.position_from_one",), cases=("fp32", "bf16"))
def check_position_zero(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """At position 0 RoPE returns its input, bit for bit.

    cos 0 = 1 and sin 0 = 0, so (a, b) -> (a, b): components that moved were put back in the wrong place.
    """
    x = draw.normal(2, 3, 2, 8, dtype=case)

    actual = student.apply_rope(x, draw.positions(0, 0, 0))

    oracle.exactly(x, like=x, axes="B T H d", name="apply_rope").accepts(actual, any_dtype=True)


@check(
    "rope.positions-offset",
    section="4.5",
    catches=("rope.ignore_positions", "rope.positions_contiguous"),
    cases=((7, 8, 9, 10, 11), (9, 2, 30, 4, 17), (3, 3, 5, 5, 5), (0, 2, 4, 6, 8)),
)
def check_positions_offset(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """RoPE uses the positions as they are: with an offset, unsorted, with gaps, repeated.

    The token at index i turns by positions[i], not by i, and not by positions[0] + i.
    """
    x, positions = draw.normal(2, 5, 3, 8), draw.positions(*case)

    actual = student.apply_rope(x, positions)

    oracle.apply_rope(x, positions).accepts(actual)


@check(
    "rope.positions-batched",
    section="4.5",
    catches=("rope.batch_as_heads", "rope.batch_row0", "rope.ignore_positions"),
    cases=((2, 5, 3, 8), (3, 5, 3, 8), (4, 4, 4, 8), (2, 1, 3, 8)),
)
def check_positions_batched(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, int, int, int]) -> None:
    """With positions [B, T] every sequence of the batch turns by its own row.

    cos and sin are then [B, T, 1, d/2]. Using row 0 for all, or confusing B with H, shows here.
    """
    x = draw.normal(*case)
    positions = draw.rows(*(range(4 * row, 4 * row + case[1]) for row in range(case[0])))

    actual = student.apply_rope(x, positions)

    oracle.apply_rope(x, positions).accepts(actual)


@check(
    "rope.positions-packed",
    section="4.5",
    catches=("rope.positions_contiguous",),
    cases=(((0, 0, 0, 1, 2, 3), (0, 1, 2, 3, 4, 5)), ((0, 1, 2, 0, 1, 0), (0, 1, 0, 1, 2, 3))),
)
def check_positions_packed(student: Student, oracle: Oracle, draw: Inputs, case: tuple[tuple[int, ...], ...]) -> None:
    """Left-padded sequences and packed ones that restart at 0 keep their positions.

    Padding repeats position 0; every packed document starts again at 0.
    """
    x, positions = draw.normal(2, 6, 3, 8), draw.rows(*case)

    actual = student.apply_rope(x, positions)

    oracle.apply_rope(x, positions).accepts(actual)


@check(
    "rope.positions-far",
    section="4.5",
    catches=("rope.rounded_pi", "rope.table_too_short"),
    cases=((2047, 2048, 4090), (32768, 65536, 65537), (131000, 131071, 131072)),
)
def check_positions_far(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """RoPE is right at every position up to 131072.

    A table that ends earlier, is clamped, or wraps around is not. The allowed error grows with the position, because
    p theta_r in FP32 does.
    """
    x, positions = draw.normal(2, 3, 2, 16), draw.positions(*case)

    actual = student.apply_rope(x, positions)

    oracle.apply_rope(x, positions).accepts(actual)


@check(
    "rope.repeated-calls",
    section="4.5",
    catches=("rope.poisoned_at_once", "rope.poisoned_tables", "rope.stale_base", "rope.stale_cache_key"),
    cases=("offset", "base", "longer", "dtype", "head_dim"),
)
def check_repeated_calls(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """A second call is not answered from the first: other positions, base, length, dtype or head width.

    A table that is kept between calls needs all of them in its key.
    """
    head_dim, tokens = draw.even(10, 40), draw.whole(5, 9)
    first = draw.normal(1, tokens, 2, head_dim, dtype="bf16" if case == "dtype" else "fp32")
    width = head_dim + 2 if case == "head_dim" else head_dim
    x = draw.normal(1, tokens + (4 if case == "longer" else 0), 2, width)
    positions = draw.arange(0, x.shape[1]) + (7 if case == "offset" else 0)
    base = 500.0 if case == "base" else None

    student.apply_rope(first, draw.arange(0, tokens))
    actual = student.apply_rope(x, positions, base)

    oracle.apply_rope(x, positions, base or 10000.0).accepts(actual)
