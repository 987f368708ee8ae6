"""The plugin for many submissions in one run of pytest: collected once, then a round of the checks for each.

A round of one submission is pytest's own loop over its items. In a class the checks are called one after another
without it: pytest's hooks and fixtures take as long as a third of the checks. Both give the same reports
(``tests/batch/test_kept.py``).
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from grader.catalogue import info_of
from grader.errors import RunnerUnavailable
from grader.plugin import GraderPlugin, OnResult, case_of, info_of_item
from grader.report.results import not_run
from grader.run_state import RunState
from grader.settings import Settings
from grader.source import Source


class Rounds(GraderPlugin):
    """Runs ``go`` where pytest would run its items; ``go`` calls ``begin`` and ``run`` once a submission.

    Args:
        by_pytest: a round goes through pytest's hooks, and ends at its time limit for one check.

    Attributes:
        escaped: what ``go`` raised, since pytest would take it for a fault of a plugin.
    """

    def __init__(self, go: Callable[[], None], *, by_pytest: bool = True) -> None:
        self._go, self._by_pytest = go, by_pytest
        self._session: pytest.Session | None = None
        self._items: list[pytest.Item] = []
        self.escaped: BaseException | None = None

    def begin(
        self, run: RunState, settings: Settings, source: Source, selected: set[str], on_result: OnResult | None = None
    ) -> None:
        """Forget the last submission; every selected check is NOT_RUN."""
        super().__init__(run, settings, source, selected, on_result)
        for item in self._chosen():
            info = info_of(getattr(item, "function", None))
            if info is not None:
                self._open_cases[info.id] = self._open_cases.get(info.id, 0) + 1
                self.results.setdefault(info.id, not_run(info, settings))

    def run(self) -> str | None:
        """One round. Returns why it is no grade, or None."""
        session = self._session
        if session is None:
            return "pytest has not begun"
        session.shouldstop = session.shouldfail = False
        items = self._chosen()
        if not self._by_pytest:
            self._run_plainly(items)
            return self.fault()
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldstop or session.shouldfail:
                break
        return self.fault()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep all: each round chooses."""
        self._items = list(items)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In the place of pytest's own loop."""
        self._session = session
        try:
            self._go()
        except BaseException as error:  # raised again by whoever started pytest
            self.escaped = error
        return True

    def _run_plainly(self, items: list[pytest.Item]) -> None:
        """As pytest's loop, with a function call in the place of setup, call and teardown."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for item in items:
                error = self._error_of(item)
                if error is not None:
                    self.note(item, error)
                self.finish_case(info_of_item(item))
                if isinstance(error, RunnerUnavailable):
                    break

    def _error_of(self, item: pytest.Item) -> BaseException | None:
        """What the check raised; None: nothing, or it did not run."""
        check, case = info_of_item(item).id, case_of(item) or ""
        if not self.begin_case(check):
            return None
        given: dict[str, Callable[[], Any]] = {
            "student": lambda: self.student_for(check),
            "draw": lambda: self._source.draw(check, case),
            "oracle": lambda: self._source.oracle(check, case),
            "case": lambda: item.callspec.params["case"],  # type: ignore[attr-defined]  # of a function's item
        }
        function: Callable[..., None] = item.obj  # type: ignore[attr-defined]  # as above
        try:
            function(**{name: given[name]() for name in _parameters(function)})
            self.settle()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # as pytest does; whose fault it is decides ``note``
            return error
        return None

    def _chosen(self) -> list[pytest.Item]:
        return self.in_order([item for item in self._items if self._id(item) in self._selected])

    @staticmethod
    def _id(item: pytest.Item) -> str:
        info = info_of(getattr(item, "function", None))
        return "" if info is None else info.id


@functools.cache
def _parameters(function: Callable[..., None]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)
