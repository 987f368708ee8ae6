"""All tables of a key, check by check on every core."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

import torch

from grader.errors import GraderError
from grader.key.flat import Packer
from grader.key.tables import RecordedForm, RecordedPairs, RecordedTable
from grader.kit.mistakes import Findings, Form, Models, findings
from grader.kit.pairs import PairFindings, pairs
from grader.transcript import Transcript

Run = Mapping[str, Sequence[Transcript]]
Found = tuple[Findings, "PairFindings | None"]

_models: Models | None = None


def found(run: Run, jobs: int, on_check: Callable[[str], None]) -> dict[str, Found]:
    """What known mistakes answer in every check of a run, by check.

    Args:
        on_check: told of every check when it is done.
    """
    results: dict[str, Found] = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(run,)) as pool:
        tasks = {pool.submit(_one, check): check for check in sorted(run, key=_longest_first)}
        for task in as_completed(tasks):
            try:
                results[tasks[task]] = pickle.loads(task.result())  # noqa: S301 - from a process of our own
            except BrokenProcessPool:
                raise GraderError("a process that records answers of mistakes has died; try fewer --jobs") from None
            on_check(tasks[task])
    return {check: results[check] for check in run}


def _longest_first(check: str) -> int:
    order = ("transformer", "block", "gqa")
    area = check.partition(".")[0]
    return order.index(area) if area in order else len(order)


def _begin(run: Run) -> None:
    """Once in every process."""
    global _models  # noqa: PLW0603 - one set of models a pool process, for the process's life
    torch.set_num_threads(1)
    _models = Models(run)


def _one(check: str) -> bytes:
    """Pickled here: torch would send every tensor as an open file, and there are thousands."""
    if _models is None:
        raise RuntimeError("the process was not made ready")
    table = findings(_models, check)
    both = pairs(_models, table)
    for forms in table.slots:
        for form in forms:
            form.trim()
    return pickle.dumps((table, both))


def recorded(check: Found, mistakes: Sequence[str], packer: Packer) -> RecordedTable:
    """As the key holds it.

    Args:
        mistakes: ids of all mistakes of the key, in order.
    """
    table, both = check
    return RecordedTable(
        cases=table.cases,
        slots=[[_form(form, packer) for form in forms] for forms in table.slots],
        shown=[mistakes.index(id) for id in table.shown],
        answers=packer.add(torch.tensor(table.numbers, dtype=torch.int16).reshape(len(table.shown), -1)),
        class_of=table.class_of,
        loud=table.loud,
        loud_only=both is not None and both.values.dtype == torch.float16,
        pairs=None if both is None else _pairs(both, packer),
    )


def _form(form: Form, packer: Packer) -> RecordedForm:
    values = packer.add(form.held) if form.held is not None else None
    return RecordedForm(
        digest=form.sample.form,
        places=form.places,
        count=form.count,
        values=values,
        failed=form.sample.failed,
    )


def _pairs(both: PairFindings, packer: Packer) -> RecordedPairs:
    held = bytearray(-(-len(both.held) // 8))
    for number, is_held in enumerate(both.held):
        held[number // 8] |= is_held << number % 8
    narrow = torch.uint8 if len(both.forms) <= 256 else torch.int16
    return RecordedPairs(
        slots=both.slots,
        probes=both.probes,
        held=packer.add(torch.frombuffer(held, dtype=torch.uint8).clone()),
        forms=both.forms,
        form_of=packer.add(torch.tensor(both.form_of).to(narrow)),
        values=packer.add(both.values),
    )
