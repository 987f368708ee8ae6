"""``grader batch``: a class in, a folder of reports, grades and a summary out."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader import settings
from grader.batch.engines import DASK, Engine, slots
from grader.batch.start import Begin, Started
from grader.batch.state import StoppedEarly
from grader.catalogue import all_checks
from grader.cli.batch_shown import WORDS, Shown
from grader.devices import gpus_in, number_of, parse, spelled
from grader.errors import GraderError, UsageError
from grader.intake.bulk.handed_in import understand
from grader.intake.bulk.layouts import LAYOUTS, REGEX, Layout
from grader.intake.bulk.roster import read_roster
from grader.intake.bulk.zip_source import open_source
from grader.report.summary import Shard
from grader.runners import gpus

NOT_GRADED = 3
SLOT = ["-m", "grader.cli.slot"]
_STATES = ("graded", "unreadable", "missing", "infrastructure")
_MOST_NAMED = 10


@dataclass(frozen=True)
class BatchRequest:
    """The command's arguments."""

    input: Path
    output: Path
    layout: str | None
    regex: str | None
    roster: Path | None
    jobs: int
    runner: str
    device: str
    assignment: Path | None
    seed: int | None
    page: bool
    resume: bool
    shard: str | None
    engine: str
    scheduler: str | None
    language: str


def run(request: BatchRequest, console: Console) -> int:
    """Grade a class; returns 0, or 3 when something could not be graded through our fault. Raises UsageError."""
    shard = _shard(request.shard)
    devices = parse(request.device)
    if shard is not None and request.seed is None and not request.resume:
        raise UsageError("--shard needs --seed, the same one for every part: a class gets the same inputs")
    loaded = settings.load(request.assignment, all_checks())
    roster = None if request.roster is None else read_roster(request.roster)
    _gpus_needed(request, gpus_in(devices))
    source = open_source(request.input)
    known = understand(source, _layout(request), roster)
    begin = Begin(
        folder=request.output,
        settings=loaded,
        seed=request.seed,
        runner=request.runner,
        image=_image(request.runner, loaded),
        device=spelled(devices),
        language=request.language,
        page=request.page,
        resume=request.resume,
        shard=shard,
    )
    started = Started(begin, known, source, has_roster=roster is not None, fresh_seed=_fresh_seed())
    words = WORDS[request.language]
    _say(console, words["layout"], layout=known.layout.name, count=len(started.plans), seed=started.seed)
    if known.skipped:
        _say(console, words["skipped"], layout=known.layout.name, names=_listed(known.skipped))
    shown = Shown(console, request.language, len(started.plans))
    try:
        with _engine(request, len(started.plans)) as engine, shown:
            counts = started.go(engine, shown.tell)
    except (StoppedEarly, KeyboardInterrupt) as stopped:
        why = "interrupted" if isinstance(stopped, KeyboardInterrupt) else str(stopped)
        raise GraderError(f"{why}. {shown.done} of {shown.total} are settled. {words['go-on']}") from None
    finally:
        started.journal.close()
        source.close()
    _say(console, words["counts"], **{state: shown.states[state] for state in _STATES})
    if counts.resumed or counts.regraded:
        _say(console, words["resumed"], count=counts.resumed, regraded=counts.regraded)
    if counts.quarantined:
        _say(console, words["quarantined"], tries=3, ids=_listed(counts.quarantined))
    _say(console, words["where"], folder=request.output)
    return NOT_GRADED if counts.quarantined else 0


def _gpus_needed(request: BatchRequest, wanted: Sequence[str]) -> None:
    """Return when the GPUs that are asked for are here; those of a Dask scheduler's machines are not known before."""
    if request.scheduler is None:
        gpus.needed(wanted)
        if wanted and request.runner == "local":
            gpus.torch_needed()


def _places(request: BatchRequest, count: int) -> int:
    """Submissions at a time; with GPUs no more than have one, and one for each other device meanwhile."""
    devices = parse(request.device)
    named = gpus_in(devices)
    if not named:
        return max(1, min(request.jobs, count))
    there = len(gpus.visible()) if number_of(named[0]) is None else 1
    return max(1, min(request.jobs, count, there * len(devices)))


def _layout(request: BatchRequest) -> Layout | None:
    if request.regex is not None:
        if request.layout is not None:
            raise UsageError("--layout and --regex are two ways to say the same; give one of them")
        return Layout(REGEX, request.regex)
    if request.layout is None:
        return None
    if request.layout not in LAYOUTS:
        raise UsageError(f"unknown layout {request.layout!r}; known are {', '.join(LAYOUTS)}")
    return Layout(request.layout)


def _shard(given: str | None) -> Shard | None:
    if given is None:
        return None
    found = re.fullmatch(r"(\d+)/(\d+)", given)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"--shard is i/n with 1 <= i <= n, for example 2/8; got {given!r}")
    return Shard(index=int(found[1]), count=int(found[2]))


def _image(runner: str, loaded: settings.Settings) -> str:
    """The digest of the image that containers start from. Raises UsageError, GraderError: there is none."""
    if runner != "docker":
        return ""
    from grader.runners.docker import engine, image

    engine.require_sdk()
    client = engine.connect()
    try:
        return str(image.find(client, loaded.docker.image))
    finally:
        client.close()


def _fresh_seed() -> int:
    import secrets

    return secrets.randbits(62)


@contextlib.contextmanager
def _engine(request: BatchRequest, count: int) -> Iterator[Engine]:
    if request.engine == DASK or request.scheduler is not None:
        from grader.batch.dask_engine import dask

        with dask(_places(request, count), SLOT, scheduler=request.scheduler, device=request.device) as engine:
            yield engine
    else:
        with slots(_places(request, count), SLOT) as engine:
            yield engine


def _say(console: Console, sentence: str, **arguments: object) -> None:
    console.print(Text(sentence.format(**arguments)), soft_wrap=True)


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f", +{more}" if more > 0 else "")
