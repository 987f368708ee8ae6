"""Give every failed check of a run its counter-example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.counterexample.candidates import Hints
from grader.counterexample.programs import Programs
from grader.counterexample.reading import steps_of
from grader.counterexample.search import Example, Lend, Search
from grader.counterexample.written import counter_example
from grader.diagnosis.mistakes import all_mistakes
from grader.errors import ANSWERED, Outcome, WorkerLost
from grader.report.models import CheckResult, Finding
from grader.transcript import Transcript

_SHOWABLE = (*ANSWERED, Outcome.CARRIED_FORWARD)
_NOT_BY_A_CALL = ("submission.", "call.not-implemented")
MOST_LOST = 2
"""Workers that may be lost before the search ends for good, for submissions that crash or hang on small inputs."""


def attach_examples(
    results: Sequence[CheckResult],
    transcripts: Mapping[str, Transcript],
    lend: Lend,
    *,
    programs: Programs,
    with_imports: bool = True,
) -> Exception | None:
    """Put an example into the finding of every failed check whose fault a call can show.

    Hidden checks and advice get none, and what was lost (a timeout, a crash) or is not written yet has none.

    Args:
        transcripts: by check, what was asked in the case that the finding is about.
        lend: the submission. Raises WorkerLost.
        programs: what the submission is compared with.
        with_imports: the snippet imports the submission's names.

    Returns:
        The first fault of our own; the check at which it happened has no example, the others have theirs.
    """
    lost, hints, fault = 0, Hints(), None
    for result in results:
        finding, transcript = result.finding, transcripts.get(result.id)
        if finding is None or transcript is None or not transcript.complete or not _can_be_shown(result, finding):
            continue
        try:
            found = _search(finding, transcript, lend, hints, programs)
            if found is not None:
                finding.example = counter_example(
                    found.steps, found.wrong, shrunk=found.shrunk, with_imports=with_imports
                )
        except WorkerLost:
            lost += 1
            if lost == MOST_LOST:
                break
        except Exception as error:  # whatever it was, an example is not worth a grade; the report says so
            fault = fault or error
    return fault


def _can_be_shown(result: CheckResult, finding: Finding) -> bool:
    if result.hidden or result.advice or result.outcome not in _SHOWABLE:
        return False
    return not finding.message.startswith(_NOT_BY_A_CALL)


def _search(finding: Finding, transcript: Transcript, lend: Lend, hints: Hints, programs: Programs) -> Example | None:
    steps = steps_of(transcript, refused=finding.message.startswith("errors."))
    if steps is None:
        return None
    known = all_mistakes()
    mistakes = [known[mistake] for mistake in finding.mistakes]
    raised = str(finding.arguments.get("type")) if finding.message == "call.raised" else None
    has_answer = finding.message.startswith("values.") and finding.message != "values.changing-form"
    about = str(finding.arguments.get("name", "")) if has_answer else ""
    return Search(steps, finding.message, about, raised, mistakes, lend, hints, programs).run()
