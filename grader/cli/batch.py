"""``grader batch``: a class in, a folder of reports, grades and a summary out."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from grader import settings
from grader.batch.engines import DASK, Engine, slots
from grader.batch.run import StoppedEarly
from grader.batch.start import Begin, Started
from grader.catalogue import all_checks
from grader.errors import GraderError, UsageError
from grader.intake.bulk.handed_in import understand
from grader.intake.bulk.layouts import LAYOUTS, REGEX, Layout
from grader.intake.bulk.roster import read_roster
from grader.intake.bulk.source import open_source
from grader.report.summary import Entry, Shard

NOT_GRADED = 3
SLOT = ["-m", "grader.cli.slot"]
WORDS = {
    "en": {
        "graded": "{score} / {max}",
        "infrastructure": "not graded, our fault",
        "unreadable": "unreadable",
        "missing": "missing",
        "class": "grading",
        "rate": "a minute",
        "counts": "{graded} graded, {unreadable} unreadable, {missing} missing, {infrastructure} not graded",
        "resumed": "{count} were finished before, {regraded} partly or wholly graded again",
        "where": "Reports, grades.csv and summary.json are in {folder}",
        "quarantined": "Not graded after {tries} tries, through no fault of the submission: {ids}",
        "skipped": "Not read, for their names do not fit the layout {layout}: {names}",
        "layout": "{layout}: {count} students, seed {seed}",
        "go-on": "What is finished is safe: the same command with --resume goes on.",
    },
    "zh": {
        "graded": "{score} / {max}",
        "infrastructure": "未评分，与提交无关",
        "unreadable": "无法读取",
        "missing": "未提交",
        "class": "评分中",
        "rate": "份/分钟",
        "counts": "已评分 {graded} 份，无法读取 {unreadable} 份，未提交 {missing} 份，未评分 {infrastructure} 份",
        "resumed": "其中 {count} 份此前已评完，{regraded} 份部分或全部重新评分",
        "where": "报告、grades.csv 和 summary.json 在 {folder}",
        "quarantined": "试了 {tries} 次仍未能评分（与提交无关）：{ids}",
        "skipped": "文件名不符合 {layout} 的命名方式，未读取：{names}",
        "layout": "{layout}：{count} 名学生，随机种子 {seed}",
        "go-on": "已评完的都已保存：在同一命令后加 --resume 即可继续。",
    },
}
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
    if request.device != "cpu":
        raise UsageError(f"unknown device {request.device!r}; this grader runs on cpu")
    if shard is not None and request.seed is None and not request.resume:
        raise UsageError("--shard needs --seed, the same one for every part: a class gets the same inputs")
    loaded = settings.load(request.assignment, all_checks())
    roster = None if request.roster is None else read_roster(request.roster)
    source = open_source(request.input)
    known = understand(source, _layout(request), roster)
    begin = Begin(
        folder=request.output,
        settings=loaded,
        seed=request.seed,
        runner=request.runner,
        image=_image(request.runner, loaded),
        device=request.device,
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


class Shown:
    """Progress: a bar with rate and time left on a terminal, else one line a submission."""

    def __init__(self, console: Console, language: str, total: int) -> None:
        self._console, self._words, self._language = console, WORDS[language], language
        self.total, self.done = total, 0
        self.states: Counter[str] = Counter()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(self._words["rate"]),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(self._words["class"], total=total)

    def __enter__(self) -> Shown:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, entry: Entry) -> None:
        """One more is settled."""
        self.done += 1
        self.states[entry.state] += 1
        self._bar.advance(self._task)
        if not self._console.is_terminal or entry.state in ("infrastructure", "unreadable"):
            self._console.print(Text(self._line(entry)), soft_wrap=True)

    def _line(self, entry: Entry) -> str:
        number = f"[{self.done:>{len(str(self.total))}}/{self.total}]"
        verdict = self._words[entry.state].format(score=entry.score, max=entry.max_score)
        who = entry.id if entry.student.name in ("", entry.id) else f"{entry.id} {entry.student.name}"
        reason = f"  {entry.reason[self._language]}" if entry.reason else ""
        return f"{number} {who}  {verdict}  {entry.seconds:.1f} s{reason}"


class _Rate(ProgressColumn):
    """Submissions a minute."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """As in ProgressColumn."""
        return Text("" if task.speed is None else f"{60 * task.speed:.0f} {self._unit}")


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

        with dask(request.jobs, SLOT, scheduler=request.scheduler, device=request.device) as engine:
            yield engine
    else:
        with slots(max(1, min(request.jobs, count)), SLOT) as engine:
            yield engine


def _say(console: Console, sentence: str, **arguments: object) -> None:
    console.print(Text(sentence.format(**arguments)), soft_wrap=True)


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f", +{more}" if more > 0 else "")
