"""The feedback catalogue: two languages that say the same, and exactly what the grader asks for."""

from __future__ import annotations

import ast
import re
import unicodedata
from pathlib import Path

import pytest

import grader
from grader.catalogue import all_checks
from grader.feedback import messages

ENGLISH, CHINESE = messages.catalogue("en"), messages.catalogue("zh")
SECTIONS = {id.split(".")[0] for id in ENGLISH}
ID = re.compile(rf"({'|'.join(sorted(SECTIONS))})\.[a-z]+(-[a-z]+)*")
RAISED_WITH = {"outcome", "evidence", "frames", "pictures"}
"""Arguments of CheckFailure that are not for the message."""

CHECKS = all_checks()
TITLES = messages._chinese_titles()
DETAILS = messages._chinese_details()
CODE = re.compile(r"\[[^\]]*\]|\b[a-z]+(?:_\w+)+|\b\d{2,}\b|\b(?:FP32|bf16|ValueError|eps|KVCache|nn\.\w+)\b")
"""What a translation leaves as it is: shapes, names, numbers."""
FACT = re.compile(r"\[[^\]]*\]|\w*[a-z]\w*_\w+|[A-Za-z]\w*\.\w+|FP\d+|bf\d+|NaN|eps", re.ASCII)
"""What a detail and its translation have alike, neither more nor less."""
NUMBER = re.compile(r"(?<!FP)(?<!bf)(?<!\d)-?\d+(?:\.\d+)?(?:e-?\d+)?", re.ASCII)
"""What they have equally often."""
OTHER_WORDS = re.compile("查询|键/值|掩码|头宽|回溯|抛出")
"""For what the chapter calls query or Q, KV, mask and 头维; and for traceback and 引发."""
WIDEST = 116
"""Columns of a terminal that a line of a detail may take; a Chinese character takes two."""

TREES = [ast.parse(path.read_text("utf-8")) for path in sorted(Path(grader.__path__[0]).rglob("*.py"))]
CALLS = [node for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Call)]


def used_ids():
    """String literals of the grader that are message ids by their form."""
    literals = {
        node.value
        for tree in TREES
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {literal for literal in literals if ID.fullmatch(literal) and not literal.endswith(".py")}


def raised_with_plain_arguments():
    """Calls that name a message and spell out each of its arguments: (id, names of the arguments, line)."""
    for call in CALLS:
        first = call.args[0] if call.args else None
        names = {keyword.arg for keyword in call.keywords}
        if isinstance(first, ast.Constant) and first.value in ENGLISH and None not in names:
            yield pytest.param(first.value, names - RAISED_WITH, id=f"{first.value} line {call.lineno}")


# -- messages ----------------------------------------------------------------------------------------------------


def test_both_languages_have_the_same_ids_in_the_same_order():
    assert list(CHINESE) == list(ENGLISH)


@pytest.mark.parametrize("id", ENGLISH)
def test_both_languages_have_the_same_placeholders(id):
    assert messages.placeholders(id, "zh") == messages.placeholders(id, "en")


def test_every_message_that_the_grader_asks_for_exists():
    assert used_ids() - set(ENGLISH) == set()


def test_every_message_is_asked_for():
    assert set(ENGLISH) - used_ids() == set()


@pytest.mark.parametrize(("id", "arguments"), list(raised_with_plain_arguments()))
def test_a_message_gets_the_arguments_that_it_shows(id, arguments):
    assert arguments >= messages.placeholders(id, "en")


@pytest.mark.parametrize("language", messages.LANGUAGES)
@pytest.mark.parametrize("id", ENGLISH)
def test_every_message_renders_with_its_arguments_in_it(id, language):
    arguments = {name: f"<{name}>" for name in messages.placeholders(id, language)}

    sentence = messages.render(id, arguments, language)

    assert all(value in sentence for value in arguments.values())
    assert "{" not in sentence
    assert sentence == sentence.strip()


@pytest.mark.parametrize("id", ENGLISH)
def test_each_catalogue_speaks_its_language(id):
    assert ENGLISH[id].isascii()
    assert re.search(r"[\u4e00-\u9fff]", CHINESE[id])


@pytest.mark.parametrize("id", CHINESE)
def test_chinese_can_be_shown_on_a_chinese_windows_console(id):
    assert CHINESE[id].encode("cp936").decode("cp936") == CHINESE[id]


def test_student_text_with_braces_is_not_filled_in_again():
    sentence = messages.render("call.raised", {"name": "f", "type": "KeyError", "detail": "{name}"}, "en")

    assert sentence == "f raised KeyError: {name}"


def test_an_unknown_message_or_a_missing_argument_is_our_error():
    with pytest.raises(KeyError, match=r"values\.nothing"):
        messages.render("values.nothing", {}, "en")
    with pytest.raises(KeyError, match="type"):
        messages.render("call.raised", {"name": "f", "detail": ""}, "en")


# -- titles of checks --------------------------------------------------------------------------------------------


def test_every_check_has_a_chinese_title_in_the_catalogues_order():
    assert list(TITLES) == list(CHECKS)


@pytest.mark.parametrize("check", CHECKS)
def test_a_chinese_title_is_one_chinese_sentence(check):
    title = messages.title(check, CHECKS[check].title, "zh")

    assert re.search(r"[\u4e00-\u9fff]", title)
    assert title.endswith(("。", "..."))
    assert title.count("。") == (1 if title.endswith("。") else 0)
    assert title.encode("cp936").decode("cp936") == title


@pytest.mark.parametrize("check", CHECKS)
def test_a_chinese_title_keeps_shapes_names_and_numbers(check):
    kept = set(CODE.findall(CHECKS[check].title))

    assert {part for part in kept if part not in TITLES[check]} == set()


def test_no_two_checks_share_a_title():
    assert len(set(TITLES.values())) == len(TITLES)


def test_an_english_title_is_the_docstrings_first_line():
    info = CHECKS["rope.base"]

    assert messages.title(info.id, info.title, "en") == "apply_rope uses the base that it is given."


def test_a_check_without_a_translation_keeps_its_english_title():
    assert messages.title("rope.new", "A promise.", "zh") == "A promise."


# -- details of checks -------------------------------------------------------------------------------------------


def test_every_check_has_a_detail_and_its_chinese_in_the_catalogues_order():
    assert {check for check, info in CHECKS.items() if not info.detail} == set()
    assert list(DETAILS) == list(CHECKS)


@pytest.mark.parametrize("check", CHECKS)
def test_a_chinese_detail_is_written_in_chinese(check):
    detail = messages.detail(check, CHECKS[check].detail, "zh")

    assert re.search(r"[\u4e00-\u9fff]", detail)
    assert detail.endswith(("。", "..."))
    assert re.findall(r"[\u4e00-\u9fff][,;:!?.(]", detail) == []
    assert re.findall(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]", detail) == []
    assert detail.encode("cp936").decode("cp936") == detail


@pytest.mark.parametrize("check", CHECKS)
def test_a_chinese_detail_has_the_shapes_names_and_numbers_of_the_english_one_and_no_others(check):
    english, chinese = (set(FACT.findall(" ".join(text.split()))) for text in (CHECKS[check].detail, DETAILS[check]))

    assert chinese == english
    assert sorted(NUMBER.findall(DETAILS[check])) == sorted(NUMBER.findall(CHECKS[check].detail))


@pytest.mark.parametrize("check", CHECKS)
def test_a_line_of_a_chinese_detail_fits_a_terminal(check):
    widths = [sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line) for line in DETAILS[check].splitlines()]

    assert max(widths) <= WIDEST


def test_an_english_detail_is_the_rest_of_the_docstring():
    info = CHECKS["rope.base"]

    assert messages.detail(info.id, info.detail, "en") == "theta_r = base^(-2r/d); 10000 is only the default."


def test_a_check_without_a_translation_keeps_its_english_detail():
    assert messages.detail("rope.new", "A rule.", "zh") == "A rule."


# -- one word for one thing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["zh", "explained.zh", "titles.zh", "details.zh", "mistakes.zh"])
def test_chinese_uses_the_chapters_words(file):
    lines = (Path(messages.__file__).parent / f"{file}.toml").read_text("utf-8").splitlines()

    assert [line for line in lines if OTHER_WORDS.search(line)] == []
