"""The tutorial shows what the grader prints today."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

MAKE = Path(__file__).parent.parent / "docs" / "tutorial" / "make.py"
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?")


@pytest.fixture(scope="module")
def make():
    spec = importlib.util.spec_from_file_location("make_tutorial", MAKE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.bank
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tutorial_is_what_its_commands_print(make, language):
    # to write it anew: python docs/tutorial/make.py
    kept = make.FILES[language].read_text("utf-8")

    made = make.page(language)

    # other processors round the student's FP32 in other ways, so the last digits of a wrong answer may differ
    assert NUMBER.sub("#", made) == NUMBER.sub("#", kept)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tutorial_ends_with_every_point(make, language):
    text = make.FILES[language].read_text("utf-8")

    assert re.search(r"(Score 100 of 100|得分 100 / 100)", text)
    assert text.count("```") % 2 == 0


def test_both_languages_tell_the_same_steps(make):
    templates = [(MAKE.parent / f"tutorial.{language}.md.jinja").read_text("utf-8") for language in ("en", "zh")]
    english, chinese = (re.findall(r"\{\{ (\w+) \}\}", text) for text in templates)

    assert english == chinese
    assert [text.count("\n## ") for text in templates] == [7, 7]
