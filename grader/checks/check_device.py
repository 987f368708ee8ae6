"""Devices: what holds on a GPU besides the numbers. These checks run in rounds on one, and are skipped elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.catalogue import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.numerics.inputs import Inputs
    from grader.source import Oracle
    from grader.student.submission import Student

ATTENTION: dict[str, int | float] = {"dim": 32, "n_heads": 4, "n_kv_heads": 2}
BLOCK: dict[str, int | float] = {**ATTENTION, "hidden_dim": 24}
MODULES: dict[str, dict[str, int | float]] = {
    "LayerNorm": {"dim": 32},
    "RMSNorm": {"dim": 32},
    "GroupedQueryAttention": ATTENTION,
    "ReLUFeedForward": {"dim": 32, "hidden_dim": 24},
    "SwiGLU": {"dim": 32, "hidden_dim": 24},
    "TransformerBlock": BLOCK,
    "Transformer": {"n_layers": 2, **BLOCK},
}
FUNCTIONS = ("rope_cos_sin", "apply_rope", "grouped_query_attention", "KVCache")
NAMES = (*FUNCTIONS, *MODULES)


def ask(student: Student, draw: Inputs, name: str, *, tokens: int = 5) -> None:
    """Call ``name`` once, with inputs of ``tokens`` tokens where the student's tensors live."""
    positions, k = draw.arange(0, tokens), draw.normal(2, tokens, 2, 8)
    calls: dict[str, Callable[[], object]] = {
        "rope_cos_sin": lambda: student.rope_cos_sin(positions, 8),
        "apply_rope": lambda: student.apply_rope(k, positions),
        "grouped_query_attention": lambda: student.grouped_query_attention(draw.normal(2, tokens, 4, 8), k, k),
        "KVCache": lambda: student.cache().append(k, k),
    }
    calls.get(name, lambda: student.build(draw.module(name, MODULES[name]))(draw.normal(2, tokens, 32)))()


@check(
    "device.output",
    section="4.2",
    catches=("attention.output_on_cpu", "cache.kept_on_cpu"),
    cases=NAMES,
)
def check_output(student: Student, draw: Inputs, case: str) -> None:
    """Every function and module returns its result on the device of its input.

    A caller that put x on the GPU goes on there: .cpu() or a tensor made without device=x.device brings the result to
    the CPU, and the next step of the model fails.
    """
    ask(student, draw, case)

    student.places.must_be_with_input(case)


@check(
    "device.tables",
    section="4.5",
    catches=("attention.mask_without_device", "rope.arange_without_device", "rope.first_device", "rope.tables_on_cpu"),
    cases=("apply_rope", "grouped_query_attention"),
)
def check_tables(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """Tables and masks that are kept between calls follow their input: first the CPU, then the GPU, then the CPU.

    A table that was made for the first call lies on that call's device: keep the device in the key, or move the table
    with .to(x.device) before it is used.
    """
    x, k, positions = draw.normal(2, 5, 4, 8), draw.normal(2, 5, 2, 8), draw.arange(0, 5)
    arguments = {"apply_rope": (x, positions), "grouped_query_attention": (x, k, k)}[case]
    cpu = student.on_cpu()

    first = getattr(cpu, case)(*arguments)
    second = getattr(student, case)(*arguments)
    third = getattr(cpu, case)(*arguments)

    expected = getattr(oracle, case)(*arguments)
    expected.accepts(first)
    expected.accepts(second)
    expected.accepts(third)


@check(
    "device.module-to",
    section="4.5",
    catches=("gqa.table_attribute", "rope.cuda_hard_wired"),
    cases=("GroupedQueryAttention", "TransformerBlock"),
)
def check_module_to(student: Student, oracle: Oracle, draw: Inputs, case: str) -> None:
    """A module that was made on the CPU computes on the GPU after module.to(device), and on the CPU after the way back.

    module.to moves parameters and buffers, and nothing else: a tensor that is a plain attribute stays where it was
    made. Register tables with register_buffer(..., persistent=False), or make them anew.
    """
    spec = draw.module(case, MODULES[case], gain=2.0)
    x, positions = draw.normal(2, 5, 32), draw.arange(0, 5)
    cpu = student.on_cpu()
    module = cpu.build(spec)

    first = module(x, positions=positions)
    second = module.moved_to(student)(x, positions=positions)
    third = module.moved_to(cpu)(x, positions=positions)

    expected = oracle.module(spec, x, positions=positions)
    expected.accepts(first)
    expected.accepts(second)
    expected.accepts(third)


@check(
    "device.no-round-trip",
    section="4.5",
    catches=("norm.cpu_round_trip", "rope.numpy_round_trip", "rope.positions_by_item", "rope.positions_to_list"),
    cases=NAMES,
)
def check_no_round_trip(student: Student, draw: Inputs, case: str) -> None:
    """Nothing goes from the GPU to the CPU and back within a call.

    .cpu(), .numpy() and .tolist() wait for everything that the GPU still has to do, and copy; so does .item() for each
    element. A fixed number of single elements (a check of the arguments) is allowed, one for every token is not.
    """
    few, many = student.watched(), student.watched()

    ask(few, draw, case, tokens=4)
    ask(many, draw, case, tokens=16)

    few.places.must_copy_nothing(case)
    many.places.must_copy_nothing(case)
    many.places.must_read_no_more_than(few.places, case, tokens=4, more=16)


@check(
    "device.positions",
    section="4.5",
    catches=("rope.positions_stay",),
)
def check_positions(student: Student, oracle: Oracle, draw: Inputs) -> None:
    """Positions may live on the CPU while x lives on the GPU: the result is the same.

    Move them once, with positions.to(x.device). Data loaders hand out positions on the CPU, decoding loops make them
    on the GPU.
    """
    q, x, positions = draw.normal(2, 5, 4, 8), draw.normal(2, 5, 32), draw.positions(3, 4, 9, 10, 40)
    spec = draw.module("GroupedQueryAttention", ATTENTION, gain=2.0)
    mixed = student.with_on_cpu("positions")

    rotated = mixed.apply_rope(q, positions)
    attended = mixed.build(spec)(x, positions=positions)

    oracle.apply_rope(q, positions).accepts(rotated)
    oracle.module(spec, x, positions=positions).accepts(attended)


@check(
    "device.defaults",
    section="4.2",
    catches=("gqa.default_device", "norm.default_device_at_import"),
    cases=NAMES,
)
def check_defaults(student: Student, draw: Inputs, case: str) -> None:
    """Neither importing nor calling the submission changes the device on which new tensors are made.

    torch.set_default_device is for programs, not for modules: it moves every tensor that others make from then on. Say
    device=x.device where a tensor is made.
    """
    ask(student, draw, case)

    student.must_keep_default_device()
