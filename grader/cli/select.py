"""From what a person types after --only to check ids."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Mapping

from grader.catalogue import CheckInfo
from grader.contract import TITLES
from grader.errors import UsageError


def matching(patterns: list[str], checks: Mapping[str, CheckInfo]) -> list[str]:
    """Ids that match any pattern: an id, an area, a shell pattern or a section.

    Raises:
        UsageError: a pattern that matches nothing, with the nearest id or section.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        matched = [check for check, info in checks.items() if _matches(pattern, info)]
        if not matched:
            raise unknown(pattern, checks)
        found.update(dict.fromkeys(matched))
    return list(found)


def unknown(given: str, checks: Mapping[str, CheckInfo]) -> UsageError:
    """The error for an id that names nothing."""
    areas = dict.fromkeys(check.split(".")[0] for check in checks)
    close = difflib.get_close_matches(given, [*checks, *areas, *TITLES], n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]}?" if close else ""
    return UsageError(f"no check is called {given}{hint} (`grader list` shows all)")


def _matches(pattern: str, info: CheckInfo) -> bool:
    section = pattern.lstrip("§ ")
    return section == info.section or pattern == info.id.split(".")[0] or fnmatch.fnmatchcase(info.id, pattern)
