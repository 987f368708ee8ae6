"""An example as the report has it: numbers, which of them are wrong, and a snippet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from grader.contract import parameter_shapes
from grader.counterexample.literals import count, fits, is_unit
from grader.counterexample.snippet import Printed, Snippet
from grader.counterexample.steps import Step, Steps
from grader.counterexample.wrong import Wrong
from grader.numerics.answer import Answer
from grader.numerics.rounding import excess, nearest
from grader.report.example import CounterExample, ExampleRow
from grader.text import clean

MOST_SHOWN = 16
_WINDOW = 4
_LEAST_DECIMALS, _MOST_DECIMALS = 4, 12
_CHAPTER = {
    "apply_rope": ([1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]),
    "LayerNorm": ([1.0, 3.0],),
    "RMSNorm": ([1.0, 3.0],),
}


@dataclass(frozen=True)
class _Content:
    """What the snippet prints, and what was printed and should have been."""

    expression: str
    given: str
    right: str
    rows: Sequence[ExampleRow] = ()


def counter_example(steps: Steps, wrong: Wrong, *, shrunk: bool, with_imports: bool) -> CounterExample:
    """Write an example down.

    Args:
        steps: the last one is wrong.
        shrunk: its numbers are the check's own.
        with_imports: the names must be imported.
    """
    if wrong.failure.message.startswith("parameters.") and steps[-1].op == "build":
        steps = [*steps[:-1], replace(steps[-1], weights={})]
    content = _content(steps[-1], wrong, steps)
    whole = wrong.failure.message.startswith("result.")
    snippet = Snippet(steps, "result" if whole else wrong.part, with_imports=with_imports, unpacked=not whole)
    text = snippet.text(Printed(content.expression, content.right))
    return CounterExample(
        source="shrunk" if shrunk else "chapter" if _is_of_the_chapter(steps) else "designed",
        inputs=snippet.inputs,
        call=snippet.call,
        given=content.given,
        right=content.right,
        rows=list(content.rows),
        snippet=text,
        numbers=count(steps),
    )


def _content(step: Step, wrong: Wrong, steps: Steps) -> _Content:
    message, failure = wrong.failure.message, wrong.failure.arguments
    if message.startswith("errors."):
        raised = failure.get("actual", "ValueError" if message == "errors.silent" else None)
        return _Content('print("no error")', clean(raised or "no error", 60), "ValueError")
    if message.startswith("parameters."):
        return _parameters(step, wrong, steps)
    if message == "call.mutated" and wrong.given is not None:
        sent = steps[step.on or 0].arguments[wrong.part]
        return _numbers(wrong.given, sent, (wrong.given != sent).flatten())
    if message == "values.dtype" and wrong.given is not None and wrong.right is not None:
        return _Content("print({0}.dtype)", str(wrong.given.dtype), str(wrong.right.dtype))
    if message in ("values.shape", "result.shape"):
        given = list(wrong.given.shape) if wrong.given is not None else failure.get("actual")
        right = list(wrong.right.truth.shape) if wrong.right is not None else failure.get("expected")
        return _Content("print(list({0}.shape))", str(given), str(right))
    if wrong.numbers:
        given = _raised(wrong) if message == "call.raised" else clean(failure.get("actual"), 60)
        given = given if wrong.given is None else str(int(wrong.given))
        return _Content("print({0})", given, wrong.numbers)
    if message.startswith("result."):
        return _Content("print(type({0}).__name__)", clean(failure.get("actual"), 60), "Tensor")
    if wrong.right is None:
        return _Content("print({0})", _raised(wrong), "no error")
    right = nearest(wrong.right.truth, wrong.right.dtype)
    if wrong.given is None:
        given = "None" if message == "gradients.none" else _raised(wrong)
        shown = _numbers(right, right, torch.zeros(right.numel(), dtype=torch.bool))
        expression = shown.expression
        if message == "gradients.none":
            expression = expression.replace("print(", "print({0} if {0} is None else ", 1)
        return _Content(expression, given, shown.right, [replace_given(row) for row in shown.rows])
    return _numbers(wrong.given, right, _wrong_places(wrong.given, wrong.right))


def replace_given(row: ExampleRow) -> ExampleRow:
    """The row without numbers of the submission's, which gave none."""
    return row.model_copy(update={"given": [], "wrong": []})


def _wrong_places(given: Tensor, answer: Answer) -> Tensor:
    """Which elements are not admissible."""
    given = given if given.dtype == answer.dtype else nearest(given.double(), answer.dtype)
    ratio = excess(given.nan_to_num(), answer.truth) / torch.clamp_min(answer.bound, 2.0**-1074)
    return (~(ratio <= 1) | ~torch.isfinite(given)).flatten()


def _numbers(given: Tensor, right: Tensor, places: Tensor) -> _Content:
    """Numbers beside each other; of a large tensor those around the first wrong one."""
    theirs, ours, where, leading = given.double(), right.double(), "", []
    shape = given.shape
    if not fits(shape, MOST_SHOWN):
        first = int(places.nonzero()[0]) if bool(places.any()) else 0
        *leading, last = _index(first, shape)
        start = last - last % _WINDOW
        end = min(start + _WINDOW, shape[-1])
        where = "[" + ", ".join([*map(str, leading), f"{start}:{end}"]) + "]"
        theirs, ours, places = (one.reshape(shape)[tuple(leading)][start:end] for one in (theirs, ours, places))
    decimals = _decimals(theirs.flatten(), ours.flatten(), places)
    flatten = "" if theirs.dim() == 1 else ".flatten()"
    width = theirs.shape[-1] if theirs.dim() else 1
    above = theirs.shape[:-1]
    shown, expected = ([_cell(value, decimals) for value in one.flatten().tolist()] for one in (theirs, ours))
    rows = []
    for number, start in enumerate(range(0, len(shown), max(width, 1))):
        part = slice(start, start + width)
        wrong = places[part].nonzero().flatten().tolist()
        at = leading or _index(number, above)
        rows.append(ExampleRow(at=at, given=shown[part], right=expected[part], wrong=wrong))
    expression = f"print([round(v, {decimals}) for v in {{0}}{where}{flatten}.tolist()])"
    return _Content(expression, f"[{', '.join(shown)}]", f"[{', '.join(expected)}]", rows)


def _index(place: int, shape: Sequence[int]) -> list[int]:
    """The index of the element at a place of the flattened tensor."""
    index: list[int] = []
    for size in reversed(shape):
        place, last = divmod(place, size)
        index.insert(0, last)
    return index


def _decimals(given: Tensor, right: Tensor, places: Tensor) -> int:
    """As few decimal places as show every wrong number to be another, and small ones at all."""
    largest = float(right[torch.isfinite(right)].abs().max()) if bool(torch.isfinite(right).any()) else 1.0
    decimals = _LEAST_DECIMALS
    while decimals < _MOST_DECIMALS and 0 < largest < 10.0 ** (2 - decimals):
        decimals += 1
    pairs = [
        (float(one), float(other))
        for one, other, place in zip(given, right, places, strict=True)
        if place and bool(torch.isfinite(one))
    ]
    while decimals < _MOST_DECIMALS and any(round(one, decimals) == round(other, decimals) for one, other in pairs):
        decimals += 1
    return decimals


def _cell(value: float, decimals: int) -> str:
    return str(round(value, decimals) + 0.0)  # adding zero makes -0.0 a zero


def _parameters(step: Step, wrong: Wrong, steps: Steps) -> _Content:
    """The parameters that are there and should not be, the other way round, or of another shape."""
    build = step if step.op == "build" else steps[step.on or 0]
    right = parameter_shapes(build.name, build.spec.arguments)
    failure = wrong.failure.arguments
    if wrong.failure.message == "parameters.set":
        given = dict(wrong.state)
        names = [name for name in sorted({*given, *right}) if given.get(name) != right.get(name)][:8]
    else:
        names = [str(failure["parameter"])]
        found = failure.get("actual")
        given = {names[0]: tuple(found)} if isinstance(found, list) else {}
    shown = [clean(name, 60) for name in names]
    expression = (
        "print({{n: list(p.shape) for n, p in sorted({0}.named_parameters()) if p.requires_grad and n in "
        + str(shown).replace("{", "{{").replace("}", "}}")
        + "}})"
    )
    theirs, ours = (
        str({clean(name, 60): list(shapes[name]) for name in names if name in shapes})
        for shapes in (given, dict(right))
    )
    return _Content(expression, theirs, ours)


def _raised(wrong: Wrong) -> str:
    """The exception in one line."""
    arguments = wrong.failure.arguments
    detail = clean(arguments.get("detail") or "", 120).replace("\n", " ")
    return f"{clean(arguments.get('type') or 'TypeError', 60)}: {detail}"


def _is_of_the_chapter(steps: Steps) -> bool:
    """Whether the chapter works these numbers out: rows that it has, with its defaults."""
    known = _CHAPTER.get(steps[-1].name, ())
    tokens = [row.tolist() for step in steps for name, x in step.tensors() for row in _rows(x) if name == "x"]
    unit = all(is_unit(weight) or not weight.any() for step in steps for weight in step.weights.values())
    defaults = all("base" not in step.arguments and "eps" not in step.arguments for step in steps)
    return bool(tokens) and defaults and unit and all(token in known for token in tokens)


def _rows(x: Tensor) -> Tensor:
    return x.reshape(-1, x.shape[-1])
