"""Message ids to sentences."""

from __future__ import annotations

import functools
import string
import sys
from collections.abc import Mapping
from importlib import resources

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LANGUAGES = ("en", "zh")


@functools.cache
def catalogue(language: str) -> Mapping[str, str]:
    """Every message of one language by id, ``section.name``."""
    text = resources.files("grader.feedback").joinpath(f"{language}.toml").read_text("utf-8")
    sections = tomllib.loads(text)
    return {f"{section}.{name}": str(value) for section, items in sections.items() for name, value in items.items()}


def render(message: str, arguments: Mapping[str, object], language: str) -> str:
    """The sentence for ``message`` with its placeholders filled.

    Raises:
        KeyError: unknown id or missing argument.
    """
    return catalogue(language)[message].format_map(arguments)


def placeholders(message: str, language: str) -> set[str]:
    """The names of a message's placeholders."""
    parsed = string.Formatter().parse(catalogue(language)[message])
    return {name for _, name, _, _ in parsed if name is not None}


def title(check: str, english: str, language: str) -> str:
    """A check's promise: the docstring's first line in English, its translation from ``titles.zh.toml`` in Chinese."""
    return english if language == "en" else _chinese_titles().get(check, english)


@functools.cache
def _chinese_titles() -> Mapping[str, str]:
    return _translations("titles.zh.toml")


def detail(check: str, english: str, language: str) -> str:
    """A check's rule with its worked numbers: the docstring's rest in English, its translation in Chinese."""
    return english if language == "en" else _chinese_details().get(check, english)


@functools.cache
def _chinese_details() -> Mapping[str, str]:
    return {check: text.strip() for check, text in _translations("details.zh.toml").items()}


def mistake(id: str, english: str, language: str) -> str:
    """A known mistake in one sentence: the model's docstring in English, its translation in Chinese."""
    return english if language == "en" else _chinese_mistakes().get(id, english)


@functools.cache
def _chinese_mistakes() -> Mapping[str, str]:
    return _translations("mistakes.zh.toml")


def _translations(file: str) -> dict[str, str]:
    text = resources.files("grader.feedback").joinpath(file).read_text("utf-8")
    return {str(id): str(value) for id, value in tomllib.loads(text).items()}
