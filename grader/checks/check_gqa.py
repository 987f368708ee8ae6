"""Sections 4.5 and 4.7: the attention module on a whole sequence: projections, rotation, attention, projection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check
from grader.contract import parameter_shapes

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student

SIZES = {"dim": 32, "n_heads": 4, "n_kv_heads": 2}
NAME = "GroupedQueryAttention"


@check(
    "gqa.parameters",
    section="4.7",
    catches=("gqa.bias", "gqa.frequencies_trained", "gqa.kv_full_width"),
    cases=((32, 4, 2), (32, 4, 4), (24, 6, 1)),
)
def check_parameters(student: Student, case: tuple[int, int, int]) -> None:
    """The module trains w_q (D -> Hq d), w_k and w_v (D -> Hkv d), w_o (Hq d -> D), without bias, and nothing else.

    D = 32, Hq = 4, Hkv = 2: d = 8, so w_k and w_v have 16 outputs. Tables of cos and sin are buffers, never parameters.
    """
    arguments = dict(zip(SIZES, case, strict=True))

    module = student.construct(NAME, **arguments)

    module.must_train(parameter_shapes(NAME, arguments))


@check(
    "gqa.values",
    section="4.7",
    catches=("gqa.heads_tiled", "gqa.q_not_rotated", "gqa.v_rotated"),
)
def check_values(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """The module projects x, rotates Q and K (never V), attends causally, and projects back with w_o.

    Q has Hq heads, K and V have Hkv; the heads are joined again in their order before w_o.
    """
    spec = draw.module(NAME, SIZES, gain=2.0)
    x, positions = draw.normal(2, 5, 32), draw.arange(0, 5)

    actual = student.build(spec)(x, positions=positions)

    oracle.module(spec, x, positions=positions).accepts(actual)


@check("gqa.default-positions", section="4.5", catches=("gqa.default_zero",))
def check_default_positions(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """Without positions and without a cache the tokens stand at 0, 1, 2, ...

    positions=None means: continue at the history's length, which is 0 here.
    """
    spec = draw.module(NAME, SIZES, gain=2.0)
    x = draw.normal(2, 5, 32)

    actual = student.build(spec)(x)

    oracle.module(spec, x).accepts(actual)


@check(
    "gqa.given-positions",
    section="4.5",
    catches=("gqa.given_first_row", "gqa.given_ignored"),
    cases=("unsorted", "rows", "packed"),
)
def check_given_positions(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The module uses the positions that it is given, [T] or [B, T], for Q and for K.

    Adding the same number to all positions changes nothing (RoPE is relative); gaps and
    another order do, in [B, T] for each row on its own.
    """
    spec = draw.module(NAME, SIZES, gain=2.0)
    x = draw.normal(2, 5, 32)
    positions = {
        "unsorted": draw.positions(40, 3, 17, 3, 8),
        "rows": draw.rows((0, 1, 2, 3, 4), (9, 30, 31, 50, 52)),
        "packed": draw.rows((0, 0, 0, 1, 2), (0, 1, 2, 0, 1)),
    }[case]

    actual = student.build(spec)(x, positions=positions)

    oracle.module(spec, x, positions=positions).accepts(actual)


@check("gqa.base", section="4.5", catches=("gqa.base_dropped",))
def check_base(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """The module rotates with the base that it was constructed with.

    base reaches apply_rope for Q and for K.
    """
    spec = draw.module(NAME, {"base": 300.0, **SIZES}, gain=2.0)
    x, positions = draw.normal(2, 5, 32), draw.positions(0, 5, 10, 20, 40)

    actual = student.build(spec)(x, positions=positions)

    oracle.module(spec, x, positions=positions).accepts(actual)


@check(
    "gqa.pointer",
    section="4.7",
    catches=("gqa.heads_tiled",),
    cases=("bf16", "fp32"),
)
def check_pointer(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """Each query head attends to exactly the token that its weights point at, bit for bit in FP32 and bf16.

    The weights are built so that heads 0 to 3 look 0, 1, 3 and 2 tokens back and each softmax is one-hot: the output
    is a copy of whole numbers from that token, and a wrong angle or head, or a mask that hides too much, copies from
    elsewhere.
    """
    pointer = draw.pointer(case)

    actual = student.build(pointer.spec)(pointer.x)

    expected = oracle.exactly(pointer.expected, like=pointer.x, axes="B T D", name=NAME)
    expected.accepts_from(actual, pointer.first, any_dtype=True)


@check("gqa.dtype", section="4.7", catches=("gqa.dtype_upcast",), cases=("bf16", "fp32"))
def check_dtype(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The module returns its input's dtype; with bf16 weights and input every step runs, and the result is bf16.

    A rotation that returns FP32 makes the next product fail or promotes the result.
    """
    spec = draw.module(NAME, SIZES, dtype=case)
    x = draw.normal(2, 5, 32, dtype=case)

    actual = student.build(spec)(x)

    oracle.module(spec, x).has_form(actual)


@check("gqa.errors", section="4.7", catches=("gqa.asserts",), cases=((32, 4, 3), (24, 6, 4), (16, 2, 4)))
def check_errors(student: Student, case: tuple[int, int, int]) -> None:
    """GroupedQueryAttention raises ValueError when n_kv_heads does not divide n_heads.

    The message should name the argument, its value and the rule.
    """
    arguments = dict(zip(SIZES, case, strict=True))

    refusal = student.refuses(NAME, arguments)

    refusal.must_be_value_error(NAME, ", ".join(f"{name} = {value}" for name, value in arguments.items()))


@check("gqa.no-side-effects", section="4.7", catches=("gqa.input_view",))
def check_no_side_effects(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """The module leaves x and its parameters alone, accepts views, and remembers nothing without a cache.

    A second call gives what it would have given as the first.
    """
    spec = draw.module(NAME, SIZES, gain=2.0)
    x = draw.normal(5, 2, 32).transpose(0, 1)
    module = student.build(spec)

    module(draw.normal(2, 7, 32))
    actual = module(x)

    student.must_not_mutate(NAME)
    oracle.module(spec, x).accepts(actual)
    module.must_still_hold(spec)


@check("gqa.gradients", section="4.7", catches=("gqa.detached_kv",))
def check_gradients(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """Gradients of the module reach x and all four weights, and are right.

    No projection, rotation or cache step may run under no_grad or on detached copies.
    """
    spec = draw.module(NAME, SIZES)
    x, cotangent = draw.normal(2, 4, 32), draw.normal(2, 4, 32)

    actual = student.build(spec).gradients(x, cotangent)

    oracle.module_gradients(spec, x, cotangent).accepts(actual)
