"""From failed checks to names: run the diagnosis, where there is anything to name, and write it into the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.devices import needs_gpu
from grader.errors import ANSWERED, Outcome
from grader.feedback import messages
from grader.penalties import carried_forward
from grader.report.models import CheckResult, NamedMistake
from grader.source import Source
from grader.transcript import Transcript

_NOT_WRITTEN = ("submission.", "call.not-implemented")


def named_mistakes(
    results: Sequence[CheckResult],
    transcripts: Mapping[str, list[Transcript]],
    lend: Callable[[], Any],
    source: Source,
) -> list[NamedMistake]:
    """Name the mistakes behind the failed checks; each explained finding gets the ids, and its points where it is due.

    What a right whole around the submission's own broken part would answer alike is carried forward too.
    Checks that were lost (timeout, crash) or not written yet have nothing to compare and take no part; advice neither,
    nor checks of devices, of which models on the CPU know nothing.
    """
    graded = [
        result
        for result in results
        if not result.advice and not needs_gpu(result.id) and _has_answers(result, transcripts)
    ]
    if all(result.outcome is Outcome.PASS for result in graded):
        return []
    from grader.diagnosis.records import CheckRecord
    from grader.diagnosis.search import Search  # only after a failure

    records = [
        CheckRecord(one.id, one.outcome is Outcome.PASS, transcripts[one.id], sitting=int(one.hidden))
        for one in sorted(graded, key=lambda one: one.hidden)  # as they ran
    ]
    diagnosis = Search(records, source.agreements()).run()
    explained = {check: [one.id for one in explaining] for check, explaining in diagnosis.by_check.items()}
    around_parts = source.around_parts(records, diagnosis.by_check, lend)
    by_id = {result.id: result for result in results}  # written to from here on only: a fault above changes no result
    for check, ids in explained.items():
        finding = by_id[check].finding
        if finding is not None:
            finding.mistakes = ids
    for check in [*carried_forward(explained, diagnosis.rough), *around_parts]:
        by_id[check].outcome = Outcome.CARRIED_FORWARD
        by_id[check].carried_from = around_parts.get(check, [])
    return [
        NamedMistake(
            id=one.id,
            text={language: messages.mistake(one.id, one.sentence, language) for language in messages.LANGUAGES},
            checks=[check for check, explaining in diagnosis.by_check.items() if one in explaining],
        )
        for one in diagnosis.mistakes
    ]


def _has_answers(result: CheckResult, transcripts: Mapping[str, list[Transcript]]) -> bool:
    if not transcripts.get(result.id) or not all(transcript.complete for transcript in transcripts[result.id]):
        return False
    if result.outcome is Outcome.PASS:
        return True
    finding = result.finding
    return result.outcome in ANSWERED and finding is not None and not finding.message.startswith(_NOT_WRITTEN)
