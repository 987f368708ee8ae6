"""Records an answer key: one run of the public checks on a right program, with everything that was asked and said."""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable
from pathlib import Path

from safetensors.torch import save

from grader.catalogue import all_checks
from grader.diagnosis.mistakes import all_mistakes
from grader.diagnosis.program import Program
from grader.errors import GraderError, Outcome
from grader.key import facts
from grader.key.flat import Packer
from grader.key.reader import INDEX, Index
from grader.kit import tables
from grader.kit.recording import RecordingSource
from grader.needed_names import names_by_check
from grader.plugin import GraderPlugin
from grader.pytest_run import run_checks
from grader.report import files
from grader.run_state import RunState
from grader.runners.in_process import InProcessRunner
from grader.settings import Settings
from grader.transcript import Transcript

OnProgress = Callable[[str, int, int], None]
_TIMEOUT = 600.0


def public(settings: Settings) -> list[str]:
    """The checks that students may run, in the catalogue's order."""
    return [check for check in all_checks() if check in settings.points and not settings.is_hidden(check)]


def write(folder: Path, settings: Settings, seed: int, jobs: int, on_progress: OnProgress) -> None:
    """Write the key's two files into ``folder``.

    Args:
        jobs: processes at a time.
        on_progress: told of a check that is done, how many are, and of how many.

    Raises:
        GraderError: a check does not pass on a right program.
    """
    checks = public(settings)
    source = RecordingSource(seed)
    transcripts = _run(checks, settings, source)
    packer = Packer()
    cases = source.recorded(packer)
    names = names_by_check(settings)
    done = itertools.count(1)
    found = tables.found(transcripts, jobs, lambda check: on_progress(check, next(done), len(checks)))
    shown = {id for findings, _ in found.values() for id in findings.shown}
    known = [one for id, one in all_mistakes().items() if id in shown]
    held = {check: tables.recorded(one, [mistake.id for mistake in known], packer) for check, one in found.items()}
    hidden = [check for check in all_checks() if check in settings.points and settings.is_hidden(check)]
    graded = [check for check in hidden if not all_checks()[check].advice]
    sections = [all_checks()[check].section for check in graded]
    said = facts.KitFacts(
        seed=seed,
        hidden={section: sections.count(section) for section in dict.fromkeys(sections)},
        hidden_points=sum(settings.points[check] for check in graded),
        names={check: names[check] for check in checks},
        mistakes=[
            facts.KnownMistake(id=one.id, part=one.part, sentence=one.sentence, is_lasting=one.is_lasting)
            for one in known
        ],
    )
    index = Index(cases=cases, tables=held).model_dump_json(exclude_defaults=True)
    content = save(packer.flat(), metadata={INDEX: index})
    files.write_bytes(gzip.compress(content, mtime=0), folder / facts.TENSORS)
    files.write(said.model_dump_json(indent=1), folder / facts.FACTS)


def _run(checks: list[str], settings: Settings, source: RecordingSource) -> dict[str, list[Transcript]]:
    run = RunState(InProcessRunner(Program().find), {})
    plugin = GraderPlugin(run, settings, source, set(checks))
    error = run_checks(plugin, _TIMEOUT)
    failed = [check for check, result in plugin.results.items() if result.outcome is not Outcome.PASS]
    if error or failed:
        raise GraderError(f"a right program does not pass: {error or ', '.join(failed)}")
    return {check: plugin.transcripts.get(check, []) for check in checks}
