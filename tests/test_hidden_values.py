"""No input and no right value of a hidden check comes out in anything that students see, however hard code tries."""

from __future__ import annotations

import io
import itertools
import re

import pytest
import torch
from rich.console import Console

import grader.session
from grader.diagnosis.replay import build
from grader.report import json_file
from grader.report.page.render import to_html
from grader.report.student_view import for_students
from grader.report.terminal import Progress, print_report
from grader.session import grade
from grader.settings import HintsSection, VisibilitySection
from grader.wire import tensors
from grader.wire.codec import RawTensor
from grader.worker.serve import Server

TELLS_EVERYTHING = """
_seen = []
_right = apply_rope


def _numbers(t):
    return " ".join(f"{value:.6g}" for value in t.float().flatten().tolist())


def apply_rope(x, positions, base=10000.0):
    _seen.append(_numbers(x))
    print("at", len(_seen), _seen[-1], flush=True)
    print(_numbers(_right(x, positions, base)), flush=True)
    if x.shape[-1] == 8 and x.dim() == 4 and x.dtype.is_floating_point:
        raise RuntimeError("before: " + " ".join(_seen)[-3000:])
    return -_right(x, positions, base)
"""
COUNTS_ITS_CALLS = """
_count = []
_right = apply_rope


def apply_rope(x, positions, base=10000.0):
    _count.append(1)
    print("call", len(_count), flush=True)
    return _right(x, positions, base)
"""
HIDDEN = ["rope.positions-*", "rope.adjacent-pairs", "gqa.values"]
NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
SEED = 11


@pytest.fixture
def graded(warm_runner, settings, submission_with, monkeypatch):
    """Grade with some checks hidden; returns the report, the printed text, transcripts and the lines of progress."""

    def run(hidden, hints=3, **modules):
        caught, printed, stream = {}, [], io.StringIO()
        right = grader.session.named_mistakes

        def catching(results, transcripts, lend, memory):
            caught.update(transcripts)
            return right(results, transcripts, lend, memory)

        monkeypatch.setattr(grader.session, "named_mistakes", catching)
        course = settings.model_copy(
            update={"visibility": VisibilitySection(hidden=hidden), "hints": HintsSection(level=hints)}
        )
        progress = Progress(Console(file=stream, width=10_000), "en", total=1)
        report = grade(
            submission_with(**modules),
            warm_runner,
            course,
            seed=SEED,
            on_result=progress.show,
            on_output=printed.append,
        )
        return report, "".join(printed), caught, stream.getvalue()

    return run


def seen_by_students(report, printed, progress):
    stream = io.StringIO()
    print_report(Console(file=stream, width=10_000), report, "en", printed=printed)
    print_report(Console(file=stream, width=10_000), report, "zh", printed=printed)
    return "\n".join([progress, stream.getvalue(), to_html(report), json_file.to_json(for_students(report)), printed])


def numbers_of(transcripts):
    """Every number that goes to the submission in these cases, comes back, or would from a right program."""
    found = set()
    for transcript in transcripts:
        server = Server(build([]).find, lambda: None)
        for exchange in transcript.exchanges:
            for value in (exchange.request, exchange.answer, server.answer(exchange.request)):
                found |= set(_numbers_in(value))
    return found


def _numbers_in(value):
    if isinstance(value, RawTensor):
        tensor = tensors.from_raw(value)
        if tensor.is_floating_point():
            yield from (f"{number:.6g}" for number in tensor.detach().double().flatten().tolist())
    elif isinstance(value, dict):
        for part in value.values():
            yield from _numbers_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _numbers_in(part)


def secrets(report, transcripts):
    """What only hidden checks show; a number with few digits may stand anywhere."""
    hidden = {check.id for check in report.checks if check.hidden}
    of_hidden = numbers_of([one for check in hidden for one in transcripts.get(check, [])])
    of_others = numbers_of([one for check, some in transcripts.items() if check not in hidden for one in some])
    return {number for number in of_hidden - of_others if len(number.strip("-0.").replace(".", "")) >= 6}


def leaked(text, numbers):
    """Two of these numbers in a row; one alone may be chance among tens of thousands."""
    found = NUMBER.findall(text)
    return {pair for pair in itertools.pairwise(found) if set(pair) <= numbers}


def test_a_submission_that_prints_and_raises_all_that_it_gets_gives_nothing_away(graded):
    report, printed, transcripts, progress = graded(HIDDEN, rope=TELLS_EVERYTHING)
    hidden = secrets(report, transcripts)

    assert len(hidden) > 200
    assert printed, "what is printed in open checks is shown"
    text = seen_by_students(report, printed, progress)
    assert leaked(text, hidden) == set()
    assert not any(check.id in text for check in report.checks if check.hidden)
    assert str(SEED) not in re.findall(r"\d+", for_students(report).model_dump_json(include={"seed"}))


def test_the_same_submission_does_give_it_away_where_nothing_is_hidden(graded):
    report, printed, transcripts, progress = graded([], rope=TELLS_EVERYTHING)
    numbers = numbers_of([one for check in ("rope.positions-offset", "gqa.values") for one in transcripts[check]])

    assert len(leaked(seen_by_students(report, printed, progress), numbers)) > 20


@pytest.mark.parametrize("hints", [1, 2])
def test_with_fewer_hints_no_right_value_is_shown(graded, hints):
    wrong = (
        "\n_sound = apply_rope\ndef apply_rope(x, positions, base=10000.0):\n    return -_sound(x, positions, base)\n"
    )
    report, printed, transcripts, progress = graded([], hints, rope=wrong)
    text = seen_by_students(report, printed, progress)
    numbers = {number for number in numbers_of(transcripts["rope.positions-offset"]) if len(number) > 7}

    assert len(numbers) > 50
    assert leaked(text, numbers) == set()
    assert "apply_rope returns wrong values." in text


def test_hidden_checks_run_last_in_a_worker_of_their_own(graded):
    report, printed, transcripts, progress = graded(["rope.adjacent-pairs"], rope=COUNTS_ITS_CALLS)

    assert report.score == report.max_score
    assert list(transcripts)[-1] == "rope.adjacent-pairs"
    assert printed.count("call 1\n") == 1
    assert progress.strip().splitlines()[-1].endswith("a hidden check of section 4.4")
    assert torch.get_num_threads() == 1
