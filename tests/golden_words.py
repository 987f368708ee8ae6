"""All that the grader can say of a failure on one page, to be read when it changes. Run this to write the page anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bank_loader

from grader.catalogue import all_checks
from grader.diagnosis.mistakes import all_mistakes
from grader.feedback import explained, messages

PAGE = Path(__file__).parent / "golden" / "words.txt"


def page() -> str:
    """The words: of every mistake of the bank, of every check, of every message."""
    return "\n".join([*_mistakes(), *_checks(), *_messages()]) + "\n"


def _mistakes() -> Iterator[str]:
    known, checks = all_mistakes(), all_checks()
    faults = sorted({entry.fault for entry in bank_loader.entries("wrong")})
    yield f"# Mistakes: {len(faults)}\n"
    for fault in faults:
        sections = sorted({check.section for check in checks.values() if fault in check.catches})
        yield f"{fault}  ({', '.join(sections) or '-'})"
        yield f"  {messages.mistake(fault, known[fault].sentence, 'en')}"
        yield f"  {messages.mistake(fault, known[fault].sentence, 'zh')}\n"


def _checks() -> Iterator[str]:
    checks = all_checks()
    yield f"# Checks: {len(checks)}\n"
    for check in checks.values():
        yield f"{check.id}  ({check.section})"
        yield f"  {messages.title(check.id, check.title, 'en')}"
        yield f"  {messages.title(check.id, check.title, 'zh')}"
        for language in messages.LANGUAGES:
            yield from (f"    {line}" for line in messages.detail(check.id, check.detail, language).splitlines())
        yield ""


def _messages() -> Iterator[str]:
    english = messages.catalogue("en")
    yield f"# Messages: {len(english)}\n"
    for id in english:
        yield id
        for language in messages.LANGUAGES:
            yield f"  {messages.catalogue(language)[id]}"
            for key, text in explained.catalogue(language).get(id, {}).items():
                yield f"    {key}: {text}"
        yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
