"""Student text is cleaned once: nothing in it steers a terminal, hides, or grows."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.text import LIMIT, clean

REPLACED = "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    "text",
    ["", "plain", "a\nb\tc", "汉字 é ß", "\U0001f600", "[red]x[/red]", "<b>&amp;</b>", "\\x1b[31m", "e\u0301", "  "],
)
def test_what_can_be_shown_stays(text):
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mred", "red"),
        ("\x1b[2J\x1b[Hgone", "gone"),
        ("\x1b[?25lno cursor", "no cursor"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;ZXZpbA==\x07clipboard", "clipboard"),
        ("\x1bPq#0;2;0;0;0\x1b\\sixel", "sixel"),
        ("\x1b_Gf=100;AAAA\x1b\\picture", "picture"),
        ("\x1b^private\x1b\\text", "text"),
        ("\x1bcreset", "reset"),
        ("before\x1b]0;never ends", "before"),
        ("two\nlines\x1b]0;a\nb\x07 here", "two\nlines here"),
        ("at the end\x1b", f"at the end{REPLACED}"),
        ("\x1b\x1b[31mx", "[31mx"),
    ],
)
def test_escape_sequences_go_as_a_whole(text, expected):
    assert clean(text) == expected


@pytest.mark.parametrize(
    "character",
    [
        *("\x00", "\x07", "\x08", "\x0b", "\x0c", "\r", "\x7f"),
        *("\x9b", "\x9d", "\x85"),  # the 8-bit forms of CSI, OSC and NEL
        *("\u202a", "\u202e", "\u2066", "\u2069", "\u200e", "\u061c"),  # bidirectional
        *("\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad"),  # without width
        *("\u2028", "\u2029"),
        *("\ud800", "\udfff"),
        *("\ue000", "\U0010ffff", "\ufffe"),  # private and unassigned
        "\U000e0041",  # a tag: text that no one sees
    ],
    ids=lambda character: f"U+{ord(character):04X}",
)
def test_a_character_that_is_not_seen_is_replaced_by_one_that_is(character):
    assert clean(f"a{character}b") == f"a{REPLACED}b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("::error file=a,line=1::x", ": :error file=a,line=1::x"),
        ("a\n  ::add-mask::x", "a\n  : :add-mask::x"),
        ("a ::STOP-COMMANDS::x", "a : :STOP-COMMANDS::x"),
        (":::error::x", ":: :error::x"),
        ("##[group]x", "# #[group]x"),
        ("a ##vso[task.setvariable]x", "a # #vso[task.setvariable]x"),
        ("###[x", "## #[x"),
        ("\x1b[0m:\x1b[0m:error::x", ": :error::x"),
    ],
)
def test_orders_to_a_build_service_are_broken(text, expected):
    assert clean(text) == expected


@pytest.mark.parametrize("text", ["x[..., ::2]", "x[::step]", "at::native::add", "std::error_code", "## x[0]", "# [1]"])
def test_what_only_looks_like_an_order_stays(text):
    assert clean(text) == text


def test_windows_line_ends_become_plain_ones():
    assert clean("a\r\nb") == "a\nb"


def test_a_carriage_return_cannot_write_over_what_was_said():
    assert clean("wrong\rright") == f"wrong{REPLACED}right"


@pytest.mark.parametrize("value", [None, 3, ["a"], b"\x00"])
def test_anything_becomes_text(value):
    assert clean(value) == str(value)


@pytest.mark.parametrize("limit", [3, 10, 200])
def test_text_is_cut_at_the_limit_and_says_so(limit):
    assert clean("x" * limit, limit) == "x" * limit
    assert clean("x" * (limit + 1), limit) == "x" * (limit - 3) + "..."


def test_the_usual_limit_holds_without_asking():
    assert len(clean("x" * 10 * LIMIT)) == LIMIT


@pytest.mark.parametrize("unit", ["\x1b]", "\x1b[", "\x1b[0", "\x1bP\x1b", "\x00", "\r\n", "\u202e"])
def test_a_huge_text_costs_no_time(unit):
    started = time.perf_counter()

    shown = clean(unit * 5_000_000)

    assert len(shown) <= LIMIT
    assert time.perf_counter() - started < 20  # quadratic time would be hours


@given(st.text(alphabet=st.characters(), max_size=300) | st.text(alphabet="\x1b[]\\;m0\x07\n\ud800a", max_size=60))
def test_nothing_that_steers_a_terminal_is_left(text):
    shown = clean(text)

    assert {unicodedata.category(character) for character in shown} & {"Cf", "Cs", "Co", "Cn", "Zl", "Zp"} == set()
    assert {character for character in shown if unicodedata.category(character) == "Cc"} <= {"\n", "\t"}
    assert clean(shown) == shown
    shown.encode("utf-8")
