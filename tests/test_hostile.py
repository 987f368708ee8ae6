"""What a hostile submission does costs itself the checks it touches, and nobody anything else."""

from __future__ import annotations

import ast
import fnmatch
import json
import socket
import sys
import unicodedata

import jsonschema
import pytest
from bank_loader import BankFile, entries

from grader.devices import needs_gpu
from grader.errors import Outcome
from grader.intake.submission import SubmissionFiles
from grader.report import json_file
from grader.runners.base import Limits
from grader.session import grade
from grader.worker.defences import NAMES

pytestmark = [
    pytest.mark.bank,
    pytest.mark.skipif(sys.platform == "win32", reason="several entries fork, which Windows cannot"),
]

LIMITS = Limits(call=3.0, load=4.0, submission=60.0)
AT_MOST = 60.0  # seconds; the deadlines that one entry can use up come to 12, and most entries need one second in all
HOSTILE = entries("hostile")
KNOWN: dict[str, set[str]] = {}
"""Defences by runner, as its workers claim."""


@pytest.fixture(params=["warm_runner", pytest.param("warm_docker_runner", marks=pytest.mark.docker)])
def runner(request, monkeypatch):
    runner = request.getfixturevalue(request.param)
    monkeypatch.setattr(runner, "limits", LIMITS)
    monkeypatch.setattr("grader.diagnosis.replay.all_mistakes", dict)  # names are not what this is about
    return runner


@pytest.fixture
def active(runner) -> set[str]:
    """The defences that a worker of this runner has on this system."""
    if runner.name not in KNOWN:
        worker = runner.start({})
        worker.close()
        KNOWN[runner.name] = {name for name, claim in worker.defences.items() if claim == "on"}
    return KNOWN[runner.name]


@pytest.mark.parametrize("entry", HOSTILE, ids=lambda entry: entry.name)
def test_a_hostile_submission_costs_itself_what_it_touches_and_nothing_else(entry, runner, active, settings):
    needed = set(constant(entry, "NEEDS", default=[])) - active
    if needed:
        pytest.skip(f"this system has no {' and no '.join(sorted(needed))}")
    files = {**entry.submission().files, **constant(entry, "FILES", default={})}

    report = grade(SubmissionFiles(entry.name, files), runner, settings, seed=7)

    outcomes = {check.id: check.outcome for check in report.checks if not needs_gpu(check.id)}
    allowed = {
        check: set(wanted)
        for pattern, wanted in constant(entry, "EXPECTED").items()
        for check in fnmatch.filter(outcomes, pattern)
    }
    assert report.graded, report.error
    assert {
        check: str(outcome) for check, outcome in outcomes.items() if outcome not in allowed.get(check, {"pass"})
    } == {}
    assert report.score == report.max_score - sum(check.max_points for check in report.checks if check.id in allowed)
    assert report.timing.total < AT_MOST
    assert json_file.from_json(json_file.to_json(report)) == report
    jsonschema.validate(json.loads(json_file.to_json(report)), json_file.schema())
    assert hidden_characters(json.loads(json_file.to_json(report))) == set()


@pytest.mark.parametrize("entry", HOSTILE, ids=lambda entry: entry.name)
def test_every_hostile_entry_says_what_it_touches(entry, settings):
    expected = constant(entry, "EXPECTED")

    assert entry.sentence.endswith(".")
    assert set(constant(entry, "NEEDS", default=[])) <= set(NAMES)
    assert [pattern for pattern in expected if not fnmatch.filter(settings.points, pattern)] == []
    assert {outcome for wanted in expected.values() for outcome in wanted} <= set(map(str, Outcome)) - {"pass"}


def test_no_byte_reaches_a_listener(runner, active, settings):
    if "seccomp" not in active:
        pytest.skip("this system has no seccomp")
    (entry,) = [entry for entry in HOSTILE if entry.name == "send_inputs_to_the_network"]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        files = dict(entry.submission().files)
        port = listener.getsockname()[1]
        files[entry.target] = files[entry.target].replace("PORT = 9", f"PORT = {port}")
        report = grade(SubmissionFiles(entry.name, files), runner, settings, seed=7, selected=["ffn.hidden-dim"])

        assert f"PORT = {port}" in files[entry.target]
        assert [str(check.outcome) for check in report.checks] == ["student_error"]
        with pytest.raises(BlockingIOError):
            listener.accept()


def constant(entry: BankFile, name: str, default: object = None):
    for node in ast.parse(entry.path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return ast.literal_eval(node.value)
    assert default is not None, f"{entry.path.name} has no {name}"
    return default


def hidden_characters(value: object) -> set[str]:
    """Characters of all texts that a terminal would not show as themselves."""
    if isinstance(value, str):
        return {c for c in value if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}
    items = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return set().union(*map(hidden_characters, items))
