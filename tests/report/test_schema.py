"""The published schema of report.json: that of the models, and true of what the grader writes."""

import json
import math

import bank_loader
import jsonschema
import pytest

from grader.errors import Outcome
from grader.intake.submission import SubmissionFiles
from grader.report import json_file
from grader.session import grade


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


@pytest.fixture(scope="module")
def real_report(warm_runner, settings):
    """Of a submission that fails, raises, and does not even import."""
    files = dict(bank_loader.base().files)
    files["assignment1/rope.py"] += (
        "\n\ndef rope_frequencies(head_dim, base=10000.0):\n    raise OSError('\\x1b[31mno')"
    )
    files["assignment1/kv_cache.py"] = "raise SystemExit('\\ud800')"
    submission = SubmissionFiles("awkward", files)
    return grade(submission, warm_runner, settings, seed=3, selected=["rope.base", "cache.dtype", "norm.gradients"])


def test_the_published_schema_is_that_of_the_models():
    # to publish a change: json.dumps(json_file.schema(), indent=2, ensure_ascii=False) and a line end
    assert json_file.published_schema() == json_file.schema()


def test_the_published_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(json_file.published_schema())


def test_a_real_report_is_valid(real_report):
    values = json.loads(json_file.to_json(real_report), parse_constant=refuse_constant)

    jsonschema.validate(values, json_file.published_schema(), cls=jsonschema.Draft202012Validator)

    assert real_report.graded
    assert {check["outcome"] for check in values["checks"]} == {"student_error", "pass"}


def test_a_real_report_reads_back_as_it_was(real_report):
    assert json_file.from_json(json_file.to_json(real_report)) == real_report


def test_a_report_with_nan_is_valid(check_result, finding, make_report):
    report = make_report(
        check_result(outcome=Outcome.FAIL, finding=finding(evidence={"nan": math.nan, "most": math.inf}))
    )

    jsonschema.validate(
        json.loads(json_file.to_json(report), parse_constant=refuse_constant), json_file.published_schema()
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [("bonus", 1), ("schema_version", 2), ("seed", "7"), ("trusted", "no"), ("checks", {}), ("score", "100")],
)
def test_the_schema_refuses_what_no_report_says(key, value, check_result, make_report):
    values = {**json.loads(json_file.to_json(make_report(check_result()))), key: value}

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, json_file.published_schema())
