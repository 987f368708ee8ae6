"""Section 4.2: the pre-norm block and the stack of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check
from grader.contract import parameter_shapes

if TYPE_CHECKING:
    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student

BLOCK = {"dim": 16, "n_heads": 4, "n_kv_heads": 2, "hidden_dim": 24}
STACK = {"n_layers": 2, **BLOCK}


@check(
    "block.parameters",
    section="4.2",
    catches=("block.layernorm",),
    cases=("block", "larger"),
)
def check_block_parameters(student: Student, case: str) -> None:
    """The block trains attn_norm, attn, ffn_norm and ffn: two RMSNorms, attention and SwiGLU, under these names.

    Each sublayer has its own norm.
    """
    arguments = BLOCK if case == "block" else {"dim": 24, "n_heads": 6, "n_kv_heads": 3, "hidden_dim": 10}

    module = student.construct("TransformerBlock", **arguments)

    module.must_train(parameter_shapes("TransformerBlock", arguments))


@check(
    "block.values",
    section="4.2",
    catches=("block.layernorm", "block.postnorm", "block.residual_from_norm"),
)
def check_block_values(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """The block is u = x + attn(attn_norm(x)), then y = u + ffn(ffn_norm(u)).

    Pre-norm: each norm stands inside its branch, the residual path carries x itself. x + F(Norm(x)), not Norm(x +
    F(x)).
    """
    spec = draw.module("TransformerBlock", BLOCK, gain=1.5)
    x = draw.normal(2, 5, 16)

    actual = student.build(spec)(x)

    oracle.module(spec, x).accepts(actual)


@check("block.residual", section="4.2", catches=("block.postnorm", "block.residual_from_norm"))
def check_residual(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """With sublayers that return zero, the block returns x, bit for bit.

    The residual path is the identity (Jacobian I + J_F J_Norm): nothing on it normalises, scales or forgets x.
    """
    spec = draw.module("TransformerBlock", BLOCK, zero=("attn.w_o", "ffn.w_down"))
    x = draw.normal(2, 5, 16)

    actual = student.build(spec)(x)

    oracle.exactly(x, like=x, axes="B T D", name="TransformerBlock").accepts(actual)


@check(
    "block.separate-norms",
    section="4.2",
    catches=("block.attn_norm_twice", "block.shared_norm"),
    cases=("attn_norm", "ffn_norm"),
)
def check_separate_norms(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """attn_norm feeds the attention and ffn_norm the feed-forward layer, each with its own weight.

    With the weight of one norm at zero, only its own sublayer falls silent.
    """
    spec = draw.module("TransformerBlock", BLOCK, gain=1.5, zero=(f"{case}.weight",))
    x = draw.normal(2, 5, 16)

    actual = student.build(spec)(x)

    oracle.module(spec, x).accepts(actual)


@check("block.arguments", section="4.2", catches=("block.base_dropped", "block.eps_dropped"), cases=("eps", "base"))
def check_arguments(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The block hands base to its attention and eps to its norms.

    Defaults are for callers who give none.
    """
    given: dict[str, float] = {"eps": 0.3} if case == "eps" else {"base": 300.0}
    spec = draw.module("TransformerBlock", {**BLOCK, **given}, gain=1.5)
    x = draw.normal(2, 5, 16)
    positions = draw.positions(0, 5, 10, 20, 40)

    actual = student.build(spec)(x, positions=positions)

    oracle.module(spec, x, positions=positions).accepts(actual)


@check("block.positions", section="4.5", catches=("block.positions_dropped",), cases=("shared", "rows"))
def check_positions(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The block hands positions on to its attention.

    [T] for all sequences, or [B, T] with a row for each.
    """
    spec = draw.module("TransformerBlock", BLOCK, gain=1.5)
    x = draw.normal(2, 5, 16)
    rows = draw.rows((0, 1, 2, 3, 4), (9, 30, 31, 50, 52))
    positions = rows if case == "rows" else draw.positions(40, 3, 17, 3, 8)

    actual = student.build(spec)(x, positions=positions)

    oracle.module(spec, x, positions=positions).accepts(actual)


@check("block.decode", section="4.5", catches=("block.cache_dropped",), cases=((5, 1, 1), (2, 3, 1), (1, 1, 1)))
def check_decode(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """The block hands its cache to the attention: decoding gives what the whole sequence at once gives.

    Norms and feed-forward act on each token alone, so only the attention needs the history.
    """
    spec = draw.module("TransformerBlock", BLOCK, gain=1.5)
    x = draw.normal(2, sum(case), 16)

    actual = student.build(spec).in_chunks(x, case, student.cache())

    oracle.module(spec, x).accepts(actual)


@check("block.dtype", section="4.2", catches=("block.dtype_upcast",), cases=("bf16", "fp32"))
def check_dtype(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The block returns its input's dtype; with bf16 weights and input (norms FP32) every step runs.

    A norm that returns FP32 for a bf16 input makes the next projection fail.
    """
    spec = draw.module("TransformerBlock", BLOCK, dtype=case)
    x = draw.normal(2, 5, 16, dtype=case)

    actual = student.build(spec)(x)

    oracle.module(spec, x).has_form(actual)


@check("block.gradients", section="4.2", catches=("block.detached_residual", "block.inplace_residual"))
def check_gradients(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """Gradients of the block reach x and every weight, and are right.

    Along the residual path the gradient arrives unchanged: J = I + J_F J_Norm.
    """
    spec = draw.module("TransformerBlock", BLOCK)
    x, cotangent = draw.normal(2, 4, 16), draw.normal(2, 4, 16)

    actual = student.build(spec).gradients(x, cotangent)

    oracle.module_gradients(spec, x, cotangent).accepts(actual)


@check(
    "block.no-side-effects",
    section="4.2",
    catches=("block.inplace_residual",),
    cases=("view", "again"),
)
def check_no_side_effects(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The block leaves x alone, accepts views, and remembers nothing without a cache.

    x += attn(...) changes the caller's x.
    """
    spec = draw.module("TransformerBlock", BLOCK, gain=1.5)
    x = draw.normal(5, 2, 16).transpose(0, 1) if case == "view" else draw.normal(2, 5, 16)
    module = student.build(spec)

    module(draw.normal(2, 3, 16))
    actual = module(x)

    student.must_not_mutate("TransformerBlock")
    oracle.module(spec, x).accepts(actual)


@check(
    "transformer.parameters",
    section="4.2",
    catches=("transformer.blocks_shared", "transformer.final_norm_absent"),
    cases=(2, 3),
)
def check_transformer_parameters(student: Student, case: int) -> None:
    """The stack trains n_layers blocks with weights of their own (an nn.ModuleList), and one final_norm.

    A plain Python list hides its modules from the optimiser; the same block n times is one block.
    """
    arguments = {**STACK, "n_layers": case}

    module = student.construct("Transformer", **arguments)

    module.must_train(parameter_shapes("Transformer", arguments))


@check(
    "transformer.values",
    section="4.2",
    catches=(
        "transformer.blocks_reversed",
        "transformer.final_norm_absent",
        "transformer.final_norm_unused",
        "transformer.positions_dropped",
    ),
    cases=("default", "positions", "arguments"),
)
def check_transformer_values(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The stack runs its blocks in order and ends with one RMSNorm, final_norm.

    positions go to every block, base and eps to every part.
    """
    given: dict[str, float] = {"base": 300.0, "eps": 0.3} if case == "arguments" else {}
    spec = draw.module("Transformer", {**STACK, **given}, gain=1.5)
    x = draw.normal(2, 5, 16)
    positions = None if case == "default" else draw.positions(0, 5, 10, 20, 40)

    actual = student.build(spec)(x, positions=positions)

    oracle.module(spec, x, positions=positions).accepts(actual)


@check(
    "transformer.caches",
    section="4.5",
    catches=("transformer.caches_dropped", "transformer.one_cache"),
    cases=((4, 1, 1), (2, 3), (1, 1, 1)),
)
def check_transformer_caches(student: Student, oracle: Oracle, draw: Inputs, case: tuple[int, ...]) -> None:
    """The stack uses one KVCache a layer, and decoding gives what the whole sequence at once gives.

    Keys of different layers differ: caches[i] belongs to blocks[i].
    """
    spec = draw.module("Transformer", STACK, gain=1.5)
    x = draw.normal(2, sum(case), 16)

    actual = student.build(spec).in_chunks(x, case, [student.cache(), student.cache()])

    oracle.module(spec, x).accepts(actual)


@check("transformer.dtype", section="4.2", catches=("transformer.dtype_upcast",), cases=("bf16", "fp32"))
def check_transformer_dtype(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """The stack returns its input's dtype, final_norm included.

    final_norm has FP32 weights and must still return bf16 for bf16.
    """
    spec = draw.module("Transformer", STACK, dtype=case)
    x = draw.normal(2, 5, 16, dtype=case)

    actual = student.build(spec)(x)

    oracle.module(spec, x).has_form(actual)
