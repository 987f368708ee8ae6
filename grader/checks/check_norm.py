"""Section 4.1: LayerNorm and RMSNorm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check
from grader.contract import parameter_shapes

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student

BOTH = ("LayerNorm", "RMSNorm")


@check("norm.layernorm-values", section="4.1", catches=("norm.ln_unbiased",))
def check_layernorm_values(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """LayerNorm subtracts the mean and divides by the root of the biased variance.

    mu = mean of the D features, v = mean of (x - mu)^2 (divided by D, not D - 1), LN(x) = (x - mu) / sqrt(v + eps).
    x = [1, 3]: mean 2, variance 1, so [-1, 1]. With D - 1 it would be [-0.7071, 0.7071].
    """
    spec = draw.with_weights("LayerNorm", {"dim": 6}, {"weight": draw.full(6, value=1), "bias": draw.full(6, value=0)})
    x = draw.normal(7, 6) + 0.7

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual)


@check("norm.layernorm-affine", section="4.1", catches=("norm.ln_bias_missing",))
def check_layernorm_affine(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """LayerNorm multiplies by weight and adds bias, feature by feature.

    LN(x)_i = gamma_i (x_i - mu) / sqrt(v + eps) + beta_i; `weight` is gamma, `bias` is beta.
    """
    spec = draw.module("LayerNorm", {"dim": 6})
    x = draw.normal(7, 6)

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual)


@check(
    "norm.layernorm-eps",
    section="4.1",
    catches=("norm.ln_eps_default", "norm.ln_eps_outside"),
    cases=("default", "given", "zero row"),
)
def check_layernorm_eps(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """LayerNorm adds eps to the variance, under the root, and uses the eps it was given.

    sqrt(v + eps), not sqrt(v) + eps. The default is 1e-5. A row of equal features has v = 0: the result is bias, not
    NaN.
    """
    arguments = {"given": {"eps": 0.1}}.get(case, {})
    scale = {"default": 3e-3, "given": 0.3, "zero row": 0.0}[case]
    unit = {"weight": draw.full(6, value=1), "bias": draw.full(6, value=0)}
    spec = draw.with_weights("LayerNorm", {"dim": 6, **arguments}, unit)
    x = draw.normal(8, 6, scale=scale)

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual)


@check(
    "norm.layernorm-axis", section="4.1", catches=("norm.ln_wrong_axis",), cases=((4, 3, 6), (3, 3, 3), (2, 4, 3, 6))
)
def check_layernorm_axis(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """LayerNorm treats every token on its own, whatever the leading axes are.

    Mean and variance run over the last axis only: never over the batch, never over the sequence.
    """
    unit = {"weight": draw.full(case[-1], value=1), "bias": draw.full(case[-1], value=0)}
    spec = draw.with_weights("LayerNorm", {"dim": case[-1]}, unit)
    x = draw.normal(*case) * draw.powers_of_two(*case[:-1], 1)

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual)


@check(
    "norm.layernorm-dtype", section="4.1", catches=("norm.ln_dtype_promote",), cases=("bf16", "fp32", "bf16 parameters")
)
def check_layernorm_dtype(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """LayerNorm returns its input's dtype, whatever the dtype of its parameters.

    bf16 in, bf16 out, with FP32 or bf16 weights; FP32 in, FP32 out. An FP32 weight that multiplies after the cast
    promotes the result to FP32 again.
    """
    dtype = "fp32" if case == "fp32" else "bf16"
    weights = "bf16" if case == "bf16 parameters" else "fp32"
    values = {"weight": draw.full(6, value=1.5, dtype=weights), "bias": draw.full(6, value=0.5, dtype=weights)}
    spec = draw.with_weights("LayerNorm", {"dim": 6}, values)
    x = draw.normal(2, 5, 6, dtype=dtype)

    actual = student.build(spec)(x)

    oracle.norm(spec, x).has_form(actual)


@check(
    "norm.layernorm-precision",
    section="4.1",
    catches=("norm.ln_no_upcast", "norm.ln_through_fp16"),
    cases=("unit", "offset", "wide"),
)
def check_layernorm_precision(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """LayerNorm computes in FP32 for bf16 inputs and rounds once, at the end.

    x is cast up first; mean, variance and quotient are FP32; the result is cast to bf16 once. weight is a power of 2
    and bias is 0 here, so rounding before or after them gives the same.
    """
    weights = {"weight": draw.powers_of_two(64), "bias": draw.full(64, value=0)}
    spec = draw.with_weights("LayerNorm", {"dim": 64}, weights)
    spread = {"unit": 1.0, "offset": 1.0, "wide": 1000.0}[case]
    x = (draw.normal(4, 8, 64, scale=spread) + (3.0 if case == "offset" else 0.0)).bfloat16()

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual, any_dtype=True)


@check(
    "norm.rmsnorm-values",
    section="4.1",
    catches=("norm.centered", "norm.fast_inverse_root", "norm.rsqrt_divide", "norm.sum_not_mean"),
)
def check_rmsnorm_values(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """RMSNorm divides by the root mean square and subtracts nothing.

    RMSNorm(x) = x / sqrt(mean(x^2) + eps). x = [1, 3]: mean square 5, so [1/sqrt 5, 3/sqrt 5] = [0.4472, 1.3416].
    Subtracting the mean would give [-1, 1]; forgetting 1/D gives [0.3162, 0.9487].
    """
    spec = draw.with_weights("RMSNorm", {"dim": 6}, {"weight": draw.full(6, value=1)})
    x = draw.normal(7, 6) + 0.7

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual)


@check("norm.rmsnorm-affine", section="4.1", catches=("norm.affine_ignored", "norm.weight_plus_one"))
def check_rmsnorm_affine(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """RMSNorm multiplies by weight, feature by feature, and adds no bias.

    RMSNorm(x)_i = gamma_i x_i / sqrt(mean(x^2) + eps); `weight` is gamma itself, not 1 + gamma.
    """
    spec = draw.module("RMSNorm", {"dim": 6})
    x = draw.normal(7, 6)

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual)


@check(
    "norm.rmsnorm-eps",
    section="4.1",
    catches=("norm.eps_default", "norm.eps_ignored", "norm.eps_outside"),
    cases=("default", "given", "zero row"),
)
def check_rmsnorm_eps(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """RMSNorm adds eps to the mean square, under the root, and uses the eps it was given.

    sqrt(mean(x^2) + eps), not sqrt(mean(x^2)) + eps. The default is 1e-6. A row of zeros gives zeros, not NaN.
    """
    arguments = {"given": {"eps": 0.1}}.get(case, {})
    scale = {"default": 1e-3, "given": 0.3, "zero row": 0.0}[case]
    spec = draw.with_weights("RMSNorm", {"dim": 6, **arguments}, {"weight": draw.full(6, value=1)})
    x = draw.normal(8, 6, scale=scale)

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual)


@check("norm.rmsnorm-axis", section="4.1", catches=("norm.wrong_axis",), cases=((4, 3, 6), (3, 3, 3), (2, 4, 3, 6)))
def check_rmsnorm_axis(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """RMSNorm treats every token on its own, whatever the leading axes are.

    The mean square runs over the last axis only: never over the batch, never over the sequence.
    """
    spec = draw.with_weights("RMSNorm", {"dim": case[-1]}, {"weight": draw.full(case[-1], value=1)})
    x = draw.normal(*case) * draw.powers_of_two(*case[:-1], 1)

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual)


@check("norm.rmsnorm-dtype", section="4.1", catches=("norm.dtype_promote",), cases=("bf16", "fp32", "bf16 parameters"))
def check_rmsnorm_dtype(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """RMSNorm returns its input's dtype, whatever the dtype of its parameter.

    bf16 in, bf16 out, with an FP32 or bf16 weight; FP32 in, FP32 out. An FP32 weight that multiplies after the cast
    promotes the result to FP32 again.
    """
    dtype = "fp32" if case == "fp32" else "bf16"
    weights = "bf16" if case == "bf16 parameters" else "fp32"
    spec = draw.with_weights("RMSNorm", {"dim": 6}, {"weight": draw.full(6, value=1.5, dtype=weights)})
    x = draw.normal(2, 5, 6, dtype=dtype)

    actual = student.build(spec)(x)

    oracle.norm(spec, x).has_form(actual)


@check(
    "norm.rmsnorm-precision",
    section="4.1",
    catches=("norm.no_upcast", "norm.through_fp16"),
    cases=("unit", "offset", "wide", "small"),
)
def check_rmsnorm_precision(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """RMSNorm computes in FP32 for bf16 inputs and rounds once, at the end.

    x is cast up first; the mean square and the quotient are FP32; the result is cast to bf16 once. weight is a power of
    2 here, so rounding before or after the product gives the same.
    """
    spec = draw.with_weights("RMSNorm", {"dim": 64}, {"weight": draw.powers_of_two(64)})
    spread = {"unit": 1.0, "offset": 1.0, "wide": 1000.0, "small": 1e-3}[case]
    x = (draw.normal(4, 8, 64, scale=spread) + (4.0 if case == "offset" else 0.0)).bfloat16()

    actual = student.build(spec)(x)

    oracle.norm(spec, x).accepts(actual, any_dtype=True)


@check("norm.parameters", section="4.1", catches=("norm.rms_bias",), cases=BOTH)
def check_parameters(student: Student, draw: Inputs, case: str) -> None:
    """LayerNorm has weight and bias [D], RMSNorm has weight [D], and nothing else is trained.

    They are `nn.Parameter`s; a constant such as eps is not.
    """
    module = student.construct(case, dim=6)

    module.must_train(parameter_shapes(case, {"dim": 6}))


@check("norm.gradients", section="4.1", catches=("norm.detached_rms",), cases=BOTH)
def check_gradients(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """Gradients of both norms reach the input and the parameters, and are right.

    The statistics depend on x too: detaching them, or computing them under no_grad, gives another gradient.
    """
    spec = draw.module(case, {"dim": 16})  # few features may have a mean far above their spread: bad for E[x^2] - mu^2
    x, cotangent = draw.normal(2, 3, 16), draw.normal(2, 3, 16)

    actual = student.build(spec).gradients(x, cotangent)

    oracle.module_gradients(spec, x, cotangent).accepts(actual)


@check(
    "norm.no-side-effects",
    section="4.1",
    catches=("norm.inplace_input", "norm.input_view", "norm.remembers_rms"),
    cases=tuple((name, view) for name in BOTH for view in ("transposed", "sliced", "bf16")),
)
def check_no_side_effects(student: Student, oracle: Oracle, draw: Inputs, case: tuple[str, str]) -> None:
    """Norms leave their input alone, accept views, and do not depend on earlier calls.

    x.float() of an FP32 x is x itself: changing it in place changes the caller's tensor.
    """
    name, view = case
    spec = draw.module(name, {"dim": 6})
    first = draw.normal(3, 4, 6)
    x = {
        "transposed": draw.normal(4, 3, 6).transpose(0, 1),
        "sliced": draw.normal(3, 9, 6)[:, 2:6],
        "bf16": draw.normal(3, 4, 6, dtype="bf16"),
    }[view]
    module = student.build(spec)

    module(first)
    actual = module(x)

    student.must_not_mutate(name)
    oracle.norm(spec, x).coarse().accepts(actual, any_dtype=True)
