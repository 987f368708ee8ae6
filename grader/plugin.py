"""The pytest plugin: hands each check the submission, and turns pytest's reports into CheckResults.

Fail closed: every check starts as not_run, and passes only when each of its cases passed in each phase.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any

import pytest

from grader.catalogue import CheckInfo, all_checks, info_of
from grader.errors import ANSWERED, CheckFailure, GraderError, Outcome, RunnerUnavailable
from grader.numerics.inputs import Inputs
from grader.report.models import CheckResult
from grader.report.results import finding_of, not_run
from grader.run_state import RunState
from grader.settings import Settings
from grader.source import Oracle, Source
from grader.student.calls import Calls
from grader.student.submission import Student
from grader.transcript import Transcript

OnResult = Callable[[CheckResult], None]


class GraderPlugin:
    """Collects one CheckResult per selected check.

    Args:
        source: of inputs and right answers.
        selected: ids of the checks to run.
        on_result: told of every check when its last case is done.
    """

    def __init__(
        self, run: RunState, settings: Settings, source: Source, selected: set[str], on_result: OnResult | None = None
    ) -> None:
        self._run, self._settings, self._source, self._selected = run, settings, source, selected
        self._on_result = on_result or (lambda result: None)
        self._open_cases: dict[str, int] = {}
        self._began: dict[str, float] = {}
        self._lost: set[str] = set()
        self._student: Student | None = None
        self.results: dict[str, CheckResult] = {}
        self.seconds: dict[str, float] = {}
        self.transcripts: dict[str, list[Transcript]] = {}
        self.failing: dict[str, Transcript] = {}
        self.grader_error: str | None = None

    # -- collection -------------------------------------------------------------------------------------------

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One item a case."""
        info = info_of(metafunc.function)
        if info is not None and info.cases:
            metafunc.parametrize("case", info.cases, ids=[case_name(case) for case in info.cases])

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the selected checks, and enter each as NOT_RUN before anything runs, so that silence cannot score."""
        items[:] = self.in_order([item for item in items if info_of_item(item).id in self._selected])
        for item in items:
            info = info_of_item(item)
            self._open_cases[info.id] = self._open_cases.get(info.id, 0) + 1
            self.results.setdefault(info.id, not_run(info, self._settings))

    def in_order(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """In the order of the catalogue, the hidden checks last; the cases of a check keep their order.

        Hidden ones run in a worker of their own: nothing that they showed the submission can come out in what it prints
        or raises in the others.
        """
        order = {check: index for index, check in enumerate(all_checks())}

        def place(item: pytest.Item) -> tuple[bool, int]:
            check = info_of_item(item).id
            return self._settings.is_hidden(check), order[check]

        return sorted(items, key=place)

    # -- fixtures ---------------------------------------------------------------------------------------------

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        """The submission under check."""
        return self.student_for(info_of_item(request.node).id)

    @pytest.fixture
    def draw(self, request: pytest.FixtureRequest) -> Inputs:
        """Inputs for this case."""
        return self._source.draw(info_of_item(request.node).id, case_of(request.node) or "")

    @pytest.fixture
    def oracle(self, request: pytest.FixtureRequest) -> Oracle:
        """Answers for this case."""
        return self._source.oracle(info_of_item(request.node).id, case_of(request.node) or "")

    def student_for(self, check: str) -> Student:
        """The submission, and a new transcript of what this case asks."""
        transcript = Transcript()
        self.transcripts.setdefault(check, []).append(transcript)
        self._student = Student(Calls(self._run, transcript))
        return self._student

    def fault(self) -> str | None:
        """Why the checks that ran are no grade; None: each has a verdict."""
        if self.grader_error is not None:
            return self.grader_error
        silent = [check for check, result in self.results.items() if result.outcome is Outcome.NOT_RUN]
        return f"checks without a verdict: {', '.join(silent) or 'all'}" if silent or not self.results else None

    # -- verdicts ---------------------------------------------------------------------------------------------

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Run all cases, also after one that failed: each says more about the mistake; but not after a lost worker."""
        if not self.begin_case(info_of_item(item).id):
            pytest.skip("an earlier case of this check had no answer")

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self) -> Generator[None, object, object]:
        """A case ends when the submission has answered everything."""
        result = yield
        self.settle()
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Record the phase that just ended."""
        report = yield
        error = call.excinfo.value if call.excinfo is not None else None
        if error is not None and not isinstance(error, pytest.skip.Exception):
            self.note(item, error)
        if isinstance(error, RunnerUnavailable):  # the other checks would each wait for a worker as long
            item.session.shouldstop = "no worker"
        if call.when == "teardown":
            self.finish_case(info_of_item(item))
        return report

    def begin_case(self, check: str) -> bool:
        """Get ready for the next case of a check. Returns whether it is to run."""
        if self._settings.is_hidden(check):
            self._run.begin_hidden()
        self._began.setdefault(check, time.perf_counter())
        self._student = None
        return check not in self._lost

    def settle(self) -> None:
        """Wait for what the case asked and did not look at. Raises CheckFailure."""
        if self._student is not None:
            self._student.settle()

    def note(self, item: pytest.Item, error: BaseException) -> None:
        """Record what a case raised: the submission's failure, or a fault of ours."""
        info = info_of_item(item)
        result = self.results[info.id]
        if isinstance(error, CheckFailure):
            if result.outcome is Outcome.NOT_RUN:  # the first case that failed is what the report shows
                result.outcome = error.outcome
                result.finding = finding_of(error, case_of(item), hidden=result.hidden)
                if info.id in self.transcripts:
                    self.failing[info.id] = self.transcripts[info.id][-1]
            if error.outcome not in ANSWERED:
                self._lost.add(info.id)
        else:
            result.outcome = Outcome.GRADER_ERROR
            self.grader_error = self.grader_error or f"{item.name}: {type(error).__name__}: {error}"

    def finish_case(self, info: CheckInfo) -> None:
        """Give the check its verdict, when this was the last of its cases."""
        result = self.results[info.id]
        self._open_cases[info.id] -= 1
        if self._open_cases[info.id]:
            return
        if result.outcome is Outcome.NOT_RUN:  # nothing objected in any phase of any case
            result.outcome = Outcome.PASS
        self.seconds[info.id] = time.perf_counter() - self._began[info.id]
        self._on_result(result)


def case_name(case: Any) -> str:
    """A case in words, for the report and for pytest's ids."""
    if isinstance(case, tuple):
        return "-".join(case_name(part) for part in case)
    return str(case)


def info_of_item(item: pytest.Item) -> CheckInfo:
    """What ``@check`` said. Raises GraderError: nothing."""
    info = info_of(getattr(item, "function", None))
    if info is None:
        raise GraderError(f"{item.nodeid} has no @check")
    return info


def case_of(item: pytest.Item) -> str | None:
    """The case in words; None where the check has none."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else str(callspec.id)
