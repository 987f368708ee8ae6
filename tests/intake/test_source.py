"""Encodings of source files: what is read as it was meant, what with a note, and what not at all."""

import pytest

from grader.errors import SubmissionError
from grader.intake.source import decode, decode_all
from grader.intake.submission import Note

TEXT = "# 归一化，第\u3000一章\nx = '乙'\n"


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(TEXT.encode(), id="plain"),
        pytest.param(b"\xef\xbb\xbf" + TEXT.encode(), id="byte order mark"),
        pytest.param(TEXT.replace("\n", "\r\n").encode(), id="Windows line ends"),
        pytest.param(TEXT.replace("\n", "\r").encode(), id="old Mac line ends"),
    ],
)
def test_utf_8_with_any_mark_and_line_ends_is_the_same_text(raw):
    assert decode(raw, "a.py") == (TEXT, "UTF-8")


@pytest.mark.parametrize("encoding", ["gbk", "gb18030"])
def test_gbk_is_read_with_a_note(encoding):
    assert decode_all({"a.py": TEXT.encode(encoding), "b.py": b"y = 1\n"}) == (
        {"a.py": TEXT, "b.py": "y = 1\n"},
        (Note.of("intake.encoding", file="a.py", encoding="GBK"),),
    )


def test_a_declared_gbk_is_read_as_such_and_the_declaration_stays():
    text = f"# -*- coding: gbk -*-\n{TEXT}"

    assert decode(text.encode("gbk"), "a.py") == (text, "GBK")


@pytest.mark.parametrize("declared", ["latin-1", "iso_8859_1", "cp1252"])
def test_a_western_encoding_is_read_when_it_is_declared(declared):
    text = f"# coding: {declared}\ncaf\u00e9t = 'na\u00efve'\n"

    assert decode(text.encode("latin-1"), "a.py") == (text, declared.replace("_", "-"))


@pytest.mark.parametrize("declared", ["utf-8", "UTF8", "ascii", "gbk", "latin-1"])
def test_a_declaration_that_agrees_with_ascii_changes_nothing(declared):
    text = f"#!/usr/bin/python\n# vim: set fileencoding={declared} :\nx = 1\n"

    assert decode(text.encode(), "a.py") == (text, "UTF-8")


@pytest.mark.parametrize("declared", ["utf-7", "utf_16", "rot13", "unicode_escape", "punycode", "nonsense"])
def test_a_declaration_that_could_hide_other_code_is_refused(declared):
    with pytest.raises(SubmissionError, match=r"^a\.py declares the encoding [\w-]+\. Save it as UTF-8, without that"):
        decode(f"x = 1\n# coding: {declared}\n".encode(), "a.py")


def test_a_declaration_below_the_second_line_is_a_comment():
    assert decode(b"\n\n# coding: utf-7\n", "a.py")[1] == "UTF-8"


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"# caf\xe9 \xff\xff\n", id="no Chinese"),
        pytest.param(b"x = '\x84\x31\xa4\x39'\n", id="an unassigned character"),
        pytest.param(b"x = '\xa2\xa0'\n", id="a private character"),
    ],
)
def test_bytes_that_are_no_text_are_refused(raw):
    with pytest.raises(SubmissionError, match=r"^a\.py is not UTF-8 text \(byte \d\)$"):
        decode(raw, "a.py")


def test_utf_16_is_refused_as_no_source_text():
    with pytest.raises(SubmissionError, match=r"^a\.py holds a NUL byte: it is not Python source text$"):
        decode(TEXT.encode("utf-16"), "a.py")
