"""Counter-examples as people see them: columns that line up, marks that need no colour, each one once."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from grader.errors import Outcome
from grader.report.example import CounterExample, ExampleInput, ExampleRow
from grader.report.page.render import to_html
from grader.report.terminal import print_report
from grader.report.worked import WORDS


def example(**changes):
    values = {
        "source": "chapter",
        "inputs": [ExampleInput(name="x", shape=[1, 1, 1, 4], dtype="float32", text="[[[[1, 2, 3, 4]]]]")],
        "call": "apply_rope(x, positions)",
        "given": "[-1.9841, 1.9599, 2.4624, 4.0198]",
        "right": "[-1.1426, 1.9221, 2.4624, 14.0298]",
        "rows": [
            ExampleRow(
                at=[0, 0, 0],
                given=["-1.9841", "1.9599", "2.4624", "4.0198"],
                right=["-1.1426", "1.9221", "2.4624", "14.0298"],
                wrong=[0, 1, 3],
            )
        ],
        "snippet": "import torch\nprint(1)",
        "numbers": 5,
    }
    return CounterExample(**{**values, **changes})


def shown(report, language="en", **options):
    stream = io.StringIO()
    print_report(Console(file=stream, width=118, **options), report, language)
    return stream.getvalue()


@pytest.fixture
def failed(check_result, finding):
    def make(id="rope.dtype", one=None, **changes):
        return check_result(id, Outcome.FAIL, finding=finding(example=one or example()), **changes)

    return make


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_submissions_numbers_stand_above_the_right_ones_and_wrong_ones_are_marked(language, failed, make_report):
    lines = shown(make_report(failed()), language).splitlines()
    yours = next(line for line in lines if line.strip().startswith(WORDS[language]["yours"]) and "-1.9841" in line)
    right = lines[lines.index(yours) + 1]
    columns = [len(name.encode("gbk")) for name in (yours[: yours.index("-1.9841")], right[: right.index("-1.1426")])]

    assert columns[0] == columns[1]  # a Chinese character is two columns wide, as in GBK
    assert yours.split()[1:] == ["-1.9841", "*", "1.9599", "*", "2.4624", "4.0198", "*"]
    assert right.split()[1:] == ["-1.1426", "1.9221", "2.4624", "14.0298"]


def test_an_example_of_several_checks_is_printed_once(failed, make_report):
    output = shown(make_report(failed("rope.dtype"), failed("rope.base")))

    assert output.count("apply_rope(x, positions)") == 1
    assert "The same numbers as under rope.dtype." in output


@pytest.mark.parametrize("changes", [{"hidden": True}, {"hints": 1}, {"hints": 2}])
def test_who_may_not_see_numbers_sees_no_example(changes, failed, make_report):
    report = make_report(failed(**changes))

    assert "-1.1426" not in shown(report)
    assert "-1.1426" not in to_html(report)


def test_where_there_are_no_numbers_both_answers_are_told(failed, make_report):
    one = example(rows=[], given="torch.float32", right="torch.bfloat16")

    lines = [line.split() for line in shown(make_report(failed(one=one))).splitlines()]

    assert ["yours", "torch.float32"] in lines
    assert ["right", "torch.bfloat16"] in lines


def test_what_a_submission_says_is_text_on_the_page(failed, make_report):
    page = to_html(make_report(failed(one=example(rows=[], given="<script>alert(1)</script>"))))

    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_markup_in_an_example_is_shown_as_it_is(failed, make_report):
    one = example(rows=[], given="[bold]no[/bold]", snippet="print('[red]x[/red]')")

    output = shown(make_report(failed(one=one)))

    assert "[bold]no[/bold]" in output
    assert "print('[red]x[/red]')" in output
