"""Section 4.6: the classic feed-forward layer and SwiGLU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check
from grader.contract import parameter_shapes

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student

BOTH = ("ReLUFeedForward", "SwiGLU")
SIZES = {"dim": 6, "hidden_dim": 10}


@check("ffn.relu-values", section="4.6", catches=("ffn.relu_activation",))
def check_relu_values(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """The classic layer is ReLU(x W1) W2.

    One activation between two projections; `w_1` and `w_2` are nn.Linear, so W1 is w_1.weight transposed.
    """
    spec = draw.module("ReLUFeedForward", SIZES, gain=2.0)
    x = draw.normal(2, 5, 6)

    actual = student.build(spec)(x)

    oracle.module(spec, x).accepts(actual)


@check(
    "ffn.swiglu-values",
    section="4.6",
    catches=("swiglu.sigmoid_gate", "swiglu.silu_of_product", "swiglu.swapped", "swiglu.wrong_activation"),
    cases=((2, 5, 6), (3, 6)),
)
def check_swiglu_values(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """SwiGLU is (SiLU(x Wg) * (x Wu)) Wd with SiLU(z) = z sigmoid(z).

    SiLU(1) = 0.7311, SiLU(-1) = -0.2689: it may be negative. It is not GELU (0.8413, -0.1587), nor the sigmoid
    (0.7311, 0.2689).
    """
    spec = draw.module("SwiGLU", SIZES, gain=2.0)
    x = draw.normal(*case)

    actual = student.build(spec)(x)

    oracle.module(spec, x).accepts(actual)


@check("ffn.swiglu-gate", section="4.6", catches=("swiglu.sigmoid_gate", "swiglu.swapped"), cases=("bf16", "fp32"))
def check_swiglu_gate(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """SiLU sits on the gate branch (w_gate), and the up branch (w_up) is multiplied as it is, exactly.

    A gate of 64 passes 64 times up; a gate of -64 closes. With whole numbers the result is exact in any dtype, and
    exchanging the branches gives other whole numbers.
    """
    gate = draw.saturated_gate(case)

    actual = student.build(gate.spec)(gate.x)

    oracle.nearly(gate.expected, 1e-6, like=gate.x, axes="B T D", name="SwiGLU").accepts(actual, any_dtype=True)


@check("ffn.parameters", section="4.6", catches=("ffn.relu_bias", "swiglu.bias"), cases=BOTH)
def check_parameters(student: Student, case: str) -> None:
    """The layers train w_1, w_2 and w_gate, w_up, w_down, without bias, and nothing else.

    SwiGLU has 3 D F parameters, the classic layer 2 D F: at the same F SwiGLU is larger.
    """
    module = student.construct(case, **SIZES)

    module.must_train(parameter_shapes(case, SIZES))


@check(
    "ffn.hidden-dim",
    section="4.6",
    catches=("ffn.hidden_four_dim", "ffn.hidden_unaligned"),
    cases=((768, None), (4096, 256), (4096, 1), (100, 8), (30, 64)),
)
def check_hidden_dim(student: Student, oracle: Oracle, case: tuple[int, int | None]) -> None:
    """swiglu_hidden_dim gives a whole number near 8 D / 3 that is a multiple of multiple_of.

    3 D F = 2 D (4 D) gives F = 8 D / 3, so that SwiGLU has as many parameters as the classic layer with F = 4 D.
    D = 768: 2048. D = 4096 in multiples of 256: 10752 or 11008.
    """
    actual = student.swiglu_hidden_dim(*case)

    oracle.swiglu_hidden_dim(case[0], case[1] or 1).accept([actual])


@check(
    "ffn.dtype",
    section="4.6",
    catches=("swiglu.dtype_upcast",),
    cases=tuple((n, d) for n in BOTH for d in ("bf16", "fp32")),
)
def check_dtype(student: Student, oracle: Oracle, draw: Inputs, case: tuple[str, str]) -> None:
    """The layers return their input's dtype: bf16 for bf16 with bf16 weights, FP32 for FP32.

    The activation does not need FP32; what is computed in FP32 is cast back.
    """
    name, dtype = case
    spec = draw.module(name, SIZES, dtype=dtype)
    x = draw.normal(2, 5, 6, dtype=dtype)

    actual = student.build(spec)(x)

    oracle.module(spec, x).has_form(actual)


@check("ffn.gradients", section="4.6", catches=("swiglu.detached_gate",), cases=BOTH)
def check_gradients(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """Gradients of both layers reach x and all weights, and are right.

    SiLU'(z) = s(z) + z s(z) (1 - s(z)); a detached gate loses one of SwiGLU's two paths.
    """
    spec = draw.module(case, SIZES)
    x, cotangent = draw.normal(2, 3, 6), draw.normal(2, 3, 6)

    actual = student.build(spec).gradients(x, cotangent)

    oracle.module_gradients(spec, x, cotangent).accepts(actual)


@check("ffn.no-side-effects", section="4.6", catches=("swiglu.inplace_input", "swiglu.input_view"), cases=BOTH)
def check_no_side_effects(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The layers leave x alone, accept views, and give the same again: no dropout, no state.

    Every call is a function of x and the weights only.
    """
    spec = draw.module(case, SIZES, gain=2.0)
    x = draw.normal(5, 2, 6).transpose(0, 1)
    module = student.build(spec)

    module(draw.normal(2, 3, 6))
    actual = module(x)

    student.must_not_mutate(case)
    oracle.module(spec, x).accepts(actual)
