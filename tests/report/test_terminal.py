"""What the terminal shows of a report: plain lines, student text as it is, and never a zero for a fault of ours."""

import io

import pytest
from rich.console import Console

from grader.contract import TITLES_ZH
from grader.errors import Outcome
from grader.report.models import Frame, Submission, SubmissionNote
from grader.report.terminal import Progress, print_report
from grader.report.terminal_words import WORDS

LANGUAGES = ("en", "zh")
LITERAL = [
    "[red]not red[/red]",
    "[/]",
    "[link=https://example.org]click[/link]",
    "<b>bold</b> &amp; <script>alert(1)</script>",
    ":smiley: {braces} %s \\n",
]


def shown(report, language="en", *, encoding="utf-8", terminal=False, printed="", width=400):
    """What a console of this encoding receives."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="replace", newline="\n")
    console = Console(file=stream, width=width, force_terminal=terminal, color_system="standard" if terminal else None)
    with Progress(console, language, total=len(report.checks)) as progress:
        for check in report.checks:
            progress.show(check)
    print_report(console, report, language, printed=printed)
    stream.flush()
    return raw.getvalue().decode(encoding)


def failing(check_result, finding, text="It differs.", **changes):
    return check_result("rope.dtype", Outcome.FAIL, finding=finding(text, **changes))


# -- student text is data ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", LITERAL)
def test_markup_in_student_text_is_shown_as_it_is(text, check_result, finding, make_report):
    frame = Frame(file="assignment1/rope.py", line=3, function=text, text=text)
    report = make_report(failing(check_result, finding, text, frames=[frame], case=text))

    output = shown(report, printed=text)

    assert output.count(text) == 5  # the sentence, its case, function and line of the frame, and what was printed


@pytest.mark.parametrize("text", LITERAL)
def test_markup_in_an_error_of_ours_is_shown_as_it_is(text, check_result, make_report):
    assert text in shown(make_report(check_result(), error=text))


# -- what was handed in -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_notes_about_what_was_handed_in_come_before_the_findings(language, check_result, finding, make_report):
    note = SubmissionNote(message="intake.cell", text={"en": "[red]in English[/red]", "zh": "[red]中文[/red]"})
    submission = Submission(name="someone", digest="0" * 64, files=[], skipped=[], notes=[note])
    report = make_report(failing(check_result, finding), submission=submission)

    output = shown(report, language)

    assert 0 < output.index(note.text[language]) < output.index("It differs.")


# -- what is said ------------------------------------------------------------------------------------------------


def test_every_check_has_a_line_with_its_points(check_result, finding, make_report):
    lines = shown(make_report(check_result(), failing(check_result, finding))).splitlines()

    assert lines[0] == "\N{CHECK MARK}   2/2  rope.base  Promise of rope.base."
    assert lines[1] == "\N{BALLOT X}   0/2  rope.dtype  Promise of rope.dtype."


def test_a_failure_says_section_sentence_frames_and_the_next_step(check_result, finding, make_report):
    frames = [Frame(file="assignment1/rope.py", line=line, function="turn", text=f"step {line}") for line in range(5)]
    output = shown(make_report(failing(check_result, finding, frames=frames, case="bf16")))

    assert "rope.dtype  (0/2, wrong answer)" in output
    assert "Section 4.4: Promise of rope.dtype." in output
    assert "It differs. [bf16]" in output
    assert "assignment1/rope.py:4 in turn: step 4" in output
    assert "step 1" not in output  # the innermost three are enough
    assert "grader check --only rope.dtype" in output


def test_the_score_stands_beside_its_maximum_and_the_seed(check_result, finding, make_report):
    output = shown(make_report(check_result(), failing(check_result, finding), seed=4711))

    assert "Score 2 of 4\n" in output
    assert "1 of 2 checks pass - seed 4711" in output
    assert "\nIt ran beside us (trusted: false).\n" in output


def test_a_part_of_the_checks_is_not_called_the_score_of_all(check_result, make_report):
    assert "Score 2 of 2 of the selected checks" in shown(make_report(check_result(), selected=["rope.base"]))


def test_a_trusted_run_is_not_called_practice(check_result, make_report):
    assert "trusted" not in shown(make_report(check_result(), trusted=True))


def test_advice_is_apart_and_counts_nothing(check_result, finding, make_report):
    advice = check_result("advice.autocast", Outcome.FAIL, advice=True, max_points=0, finding=finding())

    output = shown(make_report(check_result(), advice))

    assert "Advice (no points)\n  advice.autocast: Promise of advice.autocast." in output
    assert "Score 2 of 2\n" in output
    assert "1 of 1 checks pass" in output


@pytest.mark.parametrize("advice", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hidden_check_shows_its_section_only(language, advice, check_result, finding, make_report):
    check = failing(check_result, finding, "SECRET", case="SECRET")
    hidden = check.model_copy(update={"hidden": True, "advice": advice, "title": {"en": "SECRET", "zh": "SECRET"}})

    output = shown(make_report(hidden), language)

    assert "SECRET" not in output
    assert WORDS[language]["hidden"].format(section="4.4") in output


@pytest.mark.parametrize("outcome", [Outcome.NOT_RUN, Outcome.GRADER_ERROR])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_that_is_no_grade_shows_no_points(outcome, language, check_result, make_report):
    report = make_report(check_result("rope.base", outcome), error="no worker")

    output = shown(report, language)

    assert "0/2" not in output
    assert WORDS[language]["score"] not in output
    assert WORDS[language]["not_graded"].format(error="no worker") in output


def test_a_check_that_never_ran_makes_no_grade_even_without_an_error(check_result, make_report):
    output = shown(make_report(check_result(), check_result("rope.dtype", Outcome.NOT_RUN)))

    assert "NOT GRADED" in output
    assert "Score" not in output


# -- languages and terminals -------------------------------------------------------------------------------------


def test_both_languages_have_the_same_words_with_the_same_placeholders():
    assert WORDS["en"].keys() == WORDS["zh"].keys()
    for name, english in WORDS["en"].items():
        placeholders = [part.split("}")[0] for part in english.split("{")[1:]]
        assert sorted(placeholders) == sorted(part.split("}")[0] for part in WORDS["zh"][name].split("{")[1:]), name


def test_chinese_uses_the_chapters_own_headings(check_result, finding, make_report):
    output = shown(make_report(check_result(), failing(check_result, finding)), "zh")

    assert f"4.4  {TITLES_ZH['4.4']}  2/4" in output
    assert "rope.base 的承诺。" in output
    assert "得分 2 / 4" in output


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_terminal_nothing_is_coloured(language, check_result, finding, make_report):
    assert "\x1b" not in shown(make_report(check_result(), failing(check_result, finding)), language)


def test_on_a_terminal_marks_are_coloured(check_result, make_report):
    assert "\x1b[" in shown(make_report(check_result()), terminal=True)


@pytest.mark.parametrize("encoding", ["ascii", "cp936", "latin-1"])
def test_marks_that_the_encoding_lacks_are_spelled_in_ascii(encoding, check_result, finding, make_report):
    output = shown(make_report(check_result(), failing(check_result, finding)), encoding=encoding)

    assert output.startswith("ok  2/2  rope.base")
    assert "\nX   0/2  rope.dtype" in output
    assert "?" not in output


def test_chinese_on_a_chinese_windows_console_loses_no_character(check_result, finding, make_report):
    output = shown(make_report(check_result(), failing(check_result, finding)), "zh", encoding="cp936")

    assert "?" not in output
    assert "第 4.4 节" in output


def test_checks_that_are_right_around_a_broken_part_take_one_line(check_result, make_report):
    carried = [
        check_result(id, Outcome.CARRIED_FORWARD, carried_from=["rope"]) for id in ("gqa.values", "block.values")
    ]

    output = shown(make_report(check_result("rope.base", Outcome.FAIL), *carried)).partition("\n\n")[2]

    assert "2 checks are right but for your own part (rope), and cost nothing: gqa.values, block.values" in output
    assert "gqa.values  (" not in output
