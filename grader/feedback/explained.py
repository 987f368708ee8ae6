"""A failure taken apart: what a right program does, what this one did, where, why, and what to do next."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from importlib import resources

from grader.feedback.facts import in_every_language
from grader.feedback.messages import LANGUAGES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KEYS = ("symptom", "expected", "got", "next")
"""What every message has; ``where`` and ``why`` are there only where nothing else says it."""

_IN = {"en": "in {name}", "zh": "{name} 中"}
_AT = {"en": "{file}, line {line}, in {function}", "zh": "{file} 第 {line} 行，{function} 中"}
_ALSO = {"en": "; ", "zh": "；"}
UNKNOWN = {"en": "unknown: no known mistake gives these answers", "zh": "未知：没有已知的错误会给出这样的结果"}
_BLOCKED = {"en": "it needs {names}, which does not run at all", "zh": "它需要 {names}，而后者根本无法运行"}
_AROUND = {"en": "only your own part differs: {names}", "zh": "除了用到你自己的 {names} 之外都正确"}

Said = dict[str, str]


@functools.cache
def catalogue(language: str) -> Mapping[str, Mapping[str, str]]:
    """Every message's parts by id."""
    text = resources.files("grader.feedback").joinpath(f"explained.{language}.toml").read_text("utf-8")
    return tomllib.loads(text)


def part(key: str, message: str, arguments: Mapping[str, object]) -> Said:
    """One of a message's parts in every language; empty when the message has none of that name."""
    found = {language: catalogue(language)[message].get(key) for language in LANGUAGES}
    return {language: text.format_map(arguments) for language, text in found.items() if text is not None}


def next_step(message: str, arguments: Mapping[str, object], facts: Mapping[str, str]) -> Said:
    """What to do now; another advice where the error is that of rounding too early."""
    rounded = part("next_rounded", message, arguments) if "rounding" in facts else {}
    return rounded or part("next", message, arguments)


def where(
    message: str, arguments: Mapping[str, object], frame: Mapping[str, object] | None, facts: Mapping[str, str]
) -> Said:
    """Where it went wrong: the place of the message, else the innermost line of the student's, else what was called.

    Args:
        frame: ``file``, ``line`` and ``function``.
        facts: which heads, tokens or pairs are wrong, by axis.
    """
    told = part("where", message, arguments)
    if not told and frame is not None:
        told = {language: _AT[language].format_map(frame) for language in LANGUAGES}
    if not told:
        told = {language: _IN[language].format(name=arguments.get("name", "?")) for language in LANGUAGES}
    more = [in_every_language(name, fact) for name, fact in facts.items()]
    return {
        language: _ALSO[language].join([told[language], *(one[language] for one in more)]) for language in LANGUAGES
    }


def why(
    message: str,
    arguments: Mapping[str, object],
    *,
    mistakes: Sequence[Said],
    blocked_by: Sequence[str] = (),
    carried_from: Sequence[str] = (),
) -> Said:
    """Why: the mistakes that explain it, what kept it from running, what the message itself shows; else unknown."""
    if mistakes:
        return {language: " ".join(one[language] for one in mistakes) for language in LANGUAGES}
    for template, names in ((_BLOCKED, blocked_by), (_AROUND, carried_from)):
        if names:
            return {language: template[language].format(names=", ".join(names)) for language in LANGUAGES}
    return part("why", message, arguments) or dict(UNKNOWN)
