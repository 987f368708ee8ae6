"""A slot: a process of ours that grades one submission after another and keeps warm what they share.

Checks run under pytest in this process, one submission at a time: that is not safe in threads. Student code runs in
workers of the slot's runner, never here. Tasks come as lines of JSON on standard input, results go out on what was
standard output; prints of anything else go to standard error.
"""

from __future__ import annotations

import contextlib
import gc
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from grader import settings
from grader.batch.tasks import Result, Task, result_of
from grader.devices import parse
from grader.errors import GraderError, UsageError
from grader.runners.base import Runner
from grader.runners.kept import KeptRunner
from grader.text import clean

if TYPE_CHECKING:  # imports torch
    from grader.report.models import Report
    from grader.session import Job

GRACE = 3.0

GARBAGE = (10_000, 20, 20)
"""Objects after which Python looks for cycles, and how often a look is a long one: a submission makes 100,000."""

MakeRunner = Callable[[str, settings.Settings, str], Runner]
"""A runner by its name, for a device."""


def serve(make_runner: MakeRunner) -> None:
    """Grade until standard input ends, then end the runner, and within GRACE seconds the process.

    Args:
        make_runner: see MakeRunner.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), name="grader-tasks", daemon=True).start()
    import grader.session  # noqa: F401 - torch, while the first task is being made

    gc.freeze()  # torch's half a million objects live to the end: no need to look at them again
    gc.set_threshold(*GARBAGE)

    def answer(result: Result) -> None:
        answers.write(result.model_dump_json() + "\n")
        answers.flush()

    def next_task() -> Task:
        line = lines.get()
        if line is None:
            raise NothingMore
        return Task.model_validate_json(line)

    loop = SlotLoop(make_runner, next_task, answer)
    with contextlib.suppress(NothingMore):
        while True:
            loop.go()


class NothingMore(Exception):
    """Whoever asked has gone, or needs no more."""


def _read(lines: queue.SimpleQueue[str | None]) -> None:
    for line in sys.stdin:
        lines.put(line)
    lines.put(None)
    time.sleep(GRACE)  # in the middle of a submission: nobody wants its result
    os._exit(0)  # the workers' streams end with this process, and so do they


class SlotLoop:
    """Grades tasks in one run of pytest, with one warm runner, for as long as they ask for the same.

    Args:
        next_task: waits for a task.
        answer: told the result of each.
    """

    def __init__(
        self, make_runner: MakeRunner, next_task: Callable[[], Task], answer: Callable[[Result], None]
    ) -> None:
        self._make_runner, self._next, self._answer = make_runner, next_task, answer
        self._task: Task | None = None

    def go(self) -> None:
        """Grade the next task and those like it; trouble of ours is an answer too, and everything begins afresh."""
        from grader.session import grade_each, own_timeout

        first = self._task = self._task or self._next()
        runners: list[KeptRunner] = []
        try:
            loaded = settings.Settings.model_validate_json(first.settings)
            for device in parse(first.device):
                runners.append(KeptRunner(self._make_runner(first.runner, loaded, device)))
                runners[-1].prepare()
            grade_each(self._jobs(first, runners, loaded), self._done, timeout=own_timeout(runners[0]))
        except (GraderError, UsageError) as error:
            self._task = None
            self._answer(Result(error=clean(error), memory=peak_memory()))
        finally:
            for runner in runners:
                runner.end()

    def _jobs(self, first: Task, runners: Sequence[KeptRunner], loaded: settings.Settings) -> Iterator[Job]:
        from grader.session import Job, Place

        place, *others = [Place(*both) for both in zip(parse(first.device), runners, strict=True)]
        while self._task is not None and _alike(self._task, first):
            task = self._task
            yield Job(
                task.submission(),
                place.runner,
                loaded,
                seed=task.seed,
                device=place.device,
                also=others,
                selected=task.selected,
                naming=task.naming,
            )
            self._task = self._next()

    def _done(self, report: Report) -> None:
        from grader.report import json_file
        from grader.report.page.render import to_html

        task = self._task
        wants_page = task is not None and task.page and report.graded
        page = to_html(report, language=task.language) if task is not None and wants_page else None
        result = result_of(report, json_file.to_json(report), page)
        self._answer(result.model_copy(update={"memory": peak_memory()}))


def _alike(task: Task, other: Task) -> bool:
    """Whether the same runners serve both."""
    return (task.settings, task.runner, task.device) == (other.settings, other.runner, other.device)


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10
