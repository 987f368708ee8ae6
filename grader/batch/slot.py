"""A slot: a process of ours that grades one submission after another and keeps warm what they share.

Checks run under pytest in this process, one submission at a time: that is not safe in threads. Student code runs in
workers of the slot's runner, never here. Tasks come as lines of JSON on standard input, results go out on what was
standard output; prints of anything else go to standard error.
"""

from __future__ import annotations

import gc
import os
import queue
import sys
import threading
from collections.abc import Callable

from grader import settings
from grader.batch.tasks import Result, Task, result_of
from grader.errors import GraderError, UsageError
from grader.runners.base import Runner
from grader.runners.kept import KeptRunner
from grader.text import clean

MakeRunner = Callable[[str, settings.Settings], Runner]


def serve(make_runner: MakeRunner) -> None:
    """Grade until standard input ends, which ends the process at once: whoever asked has gone."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), name="grader-tasks", daemon=True).start()
    grader = SlotGrader(make_runner)
    while True:
        result = grader.grade(Task.model_validate_json(lines.get()))
        answers.write(result.model_dump_json() + "\n")
        answers.flush()


def _read(lines: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)  # the workers' streams end with this process, and so do they


class SlotGrader:
    """Grades tasks with one warm runner.

    Args:
        make_runner: a runner by its name.
    """

    def __init__(self, make_runner: MakeRunner) -> None:
        self._make_runner = make_runner
        self._runner: KeptRunner | None = None
        self._made_for: tuple[str, str] | None = None
        self._settings: settings.Settings | None = None

    def grade(self, task: Task) -> Result:
        """Grade one submission; a fault of ours is in the result."""
        from grader.report import json_file
        from grader.report.page.render import to_html
        from grader.session import grade

        try:
            runner, loaded = self._warm(task)
            if not gc.get_freeze_count():  # torch's half a million objects live to the end
                gc.freeze()
            report = grade(
                task.submission(),
                runner,
                loaded,
                seed=task.seed,
                device=task.device,
                selected=task.selected,
                naming=task.naming,
            )
        except (GraderError, UsageError) as error:
            return Result(error=clean(error), memory=peak_memory())
        page = to_html(report, language=task.language) if task.page and report.graded else None
        return result_of(report, json_file.to_json(report), page).model_copy(update={"memory": peak_memory()})

    def end(self) -> None:
        """End the runner."""
        if self._runner is not None:
            self._runner.end()
            self._runner = None

    def _warm(self, task: Task) -> tuple[KeptRunner, settings.Settings]:
        wanted = (task.settings, task.runner)
        if self._runner is None or self._settings is None or self._made_for != wanted:
            self.end()
            self._settings = settings.Settings.model_validate_json(task.settings)
            self._runner = KeptRunner(self._make_runner(task.runner, self._settings))
            self._runner.prepare()
            self._made_for = wanted
        return self._runner, self._settings


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10
