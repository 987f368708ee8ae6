"""What a check asked of the submission, and what came back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.wire.codec import Value


@dataclass(frozen=True)
class Exchange:
    """One request and its answer, as they went over the wire."""

    request: Mapping[str, Any]
    answer: Mapping[str, Value]


@dataclass
class Transcript:
    """Everything that was asked in one case of a check.

    Attributes:
        complete: no call was lost (a timeout or a crash leaves nothing to compare).
        asked: names of the contract that were imported, constructed or called.
        answered: those of them of which some call returned; constructing a class is no call.
    """

    exchanges: list[Exchange] = field(default_factory=list)
    complete: bool = True
    asked: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
