"""The plugin for many submissions in one run of pytest: collected once, then a round of the checks for each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.catalogue import info_of
from grader.plugin import GraderPlugin, OnResult
from grader.report.results import not_run
from grader.run_state import RunState
from grader.settings import Settings
from grader.source import Source


class Rounds(GraderPlugin):
    """Runs ``go`` where pytest would run its items; ``go`` calls ``begin`` and ``run`` once a submission.

    Attributes:
        escaped: what ``go`` raised, since pytest would take it for a fault of a plugin.
    """

    def __init__(self, go: Callable[[], None]) -> None:
        self._go = go
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

    def _chosen(self) -> list[pytest.Item]:
        return self.in_order([item for item in self._items if self._id(item) in self._selected])

    @staticmethod
    def _id(item: pytest.Item) -> str:
        info = info_of(getattr(item, "function", None))
        return "" if info is None else info.id
