"""The summary of a class as a file: the published schema, and the same after reading it back."""

import json

import jsonschema
import pytest

from grader.errors import Outcome
from grader.report import summary
from grader.report.models import Environment
from grader.report.summary import Attempt, CheckCell, CheckColumn, Entry, Health, Shard, Student, Summary


def a_summary(**changes) -> Summary:
    cell = CheckCell(id="rope.dtype", outcome=Outcome.FAIL, points=0, max_points=2, mistakes=["rope.half-split"])
    student = Student(id="1001", name="=张 三", in_roster=True, extra={"github": "zs"})
    graded = Entry(
        id="1001",
        student=student,
        attempt=Attempt(source="bulk.zip/张_1001.zip", timestamp="2026-11-01T10:00:00", late=True),
        other_attempts=[Attempt(source="older")],
        state="graded",
        digest="d" * 64,
        score=0,
        max_score=2,
        checks=[cell],
        mistakes=["rope.half-split"],
        report="reports/1001/report.json",
        seconds=0.25,
    )
    missing = Entry(id="x", student=Student(id="x"), state="missing", max_score=2, reason={"en": "not handed in"})
    values = {
        "assignment": "A1",
        "assignment_digest": "a" * 64,
        "input": "bulk.zip",
        "layout": "canvas",
        "seed": 2**61,
        "runner": "local",
        "trusted": False,
        "isolation": "plain",
        "device": "cpu",
        "environment": Environment(
            grader="1", grader_digest="g", python="3", torch="2", platform="p", cpu_capability="c", threads=1
        ),
        "max_score": 2,
        "checks": [CheckColumn(id="rope.dtype", section="4.4", title={"en": "t"}, advice=False, hidden=False,
                               max_points=2)],
        "mistakes": {"rope.half-split": {"en": "halves", "zh": "两半"}},
        "submissions": [graded, missing],
        "shard": Shard(index=1, count=2),
        "health": Health(started="2026-11-01T10:00:00+00:00", seconds=1.5, jobs=2),
    }  # fmt: skip
    return Summary(**{**values, **changes})


def test_the_published_schema_is_that_of_the_model():
    assert summary.published_schema() == summary.schema()


def test_what_is_written_is_valid_against_the_published_schema():
    written = json.loads(summary.to_json(a_summary()))

    jsonschema.Draft202012Validator(summary.published_schema()).validate(written)


def test_a_summary_reads_back_as_it_was(tmp_path):
    written = a_summary()

    summary.write(written, tmp_path)
    again = summary.from_json((tmp_path / summary.SUMMARY_FILE).read_text("utf-8"))

    assert summary.to_json(again) == summary.to_json(written)
    assert [entry.id for entry in again.in_state("missing")] == ["x"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": 2}', "null"])
def test_what_is_no_summary_is_refused(text):
    with pytest.raises(ValueError, match=r"validation error|JSON"):
        summary.from_json(text)
