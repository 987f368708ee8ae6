"""Advice: good practice that the chapter recommends. Reported, and worth no points unless a course says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student


@check(
    "advice.gamma-before-cast",
    section="4.1",
    catches=("norm.weight_after_cast", "norm.ln_weight_after_cast"),
    cases=("RMSNorm", "LayerNorm"),
    advice=True,
)
def check_gamma_before_cast(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """A norm multiplies by weight (and adds bias) before the cast to bf16, so that the result is rounded once.

    Meta's and Hugging Face's Llama cast first and multiply after: two roundings, and a quarter of all elements differ.
    """
    spec = draw.module(case, {"dim": 64})
    x = draw.normal(4, 8, 64, dtype="bf16")

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual, any_dtype=True)


@check("advice.survives-bf16-cast", section="4.5", catches=("gqa.frequency_buffer", "gqa.table_buffer"), advice=True)
def check_survives_bf16_cast(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """The attention module still rotates in FP32 after module.to(bfloat16).

    A buffer is rounded by that cast, for good: cos and sin then have 8 bits, and with frequencies kept as a buffer far
    positions are off by radians. Here the weights are FP32 again afterwards, so nothing else can have lost bits.
    """
    spec = draw.module("GroupedQueryAttention", {"dim": 32, "n_heads": 4, "n_kv_heads": 2}, gain=2.0)
    x, positions = draw.normal(2, 5, 32), draw.positions(0, 3, 7, 31, 100)
    module = student.build(spec)

    module.cast("bfloat16")
    module.load(spec.weights)
    actual = module(x, positions=positions)

    oracle.module(spec, x, positions=positions).accepts(actual, any_dtype=True)


@check("advice.autocast", section="4.5", catches=("rope.angle_by_matmul",), advice=True)
def check_autocast(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """apply_rope still computes in FP32 when the caller is inside torch.autocast.

    Autocast turns matmul and einsum into bf16: angles as an outer product, or a rotation as a matrix product, lose
    bits.
    """
    x, positions = draw.normal(2, 16, 2, 32), draw.far_positions()

    actual = student.apply_rope(x, positions, mode="autocast")

    oracle.apply_rope(x, positions).accepts(actual, any_dtype=True)


@check("advice.error-messages", section="4.4", catches=("rope.bare_errors",), cases=("d", "groups"), advice=True)
def check_error_messages(student: Student, draw: Inputs, case: str) -> None:
    """Error messages show the value that was refused.

    "head_dim must be even, got 7" saves the reader a debugger.
    """
    q, k = draw.normal(1, 2, 6, 4), draw.normal(1, 2, 4, 4)

    refusal = (
        student.refuses("rope_frequencies", {"head_dim": 7})
        if case == "d"
        else student.refuses("grouped_query_attention", {"q": q, "k": k, "v": k})
    )

    refusal.must_mention("7" if case == "d" else "6")
