"""Arguments that many commands share."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer


class Language(str, Enum):
    """Languages of messages."""

    en = "en"
    zh = "zh"


class RunnerName(str, Enum):
    """Places where student code can run."""

    local = "local"
    docker = "docker"


AssignmentOption = Annotated[
    Optional[Path],  # noqa: UP045 - typer evaluates annotations, also on Python 3.10
    typer.Option("--assignment", help="A course's assignment.toml; else the one that comes with the grader."),
]
LanguageOption = Annotated[Optional[Language], typer.Option("--lang", help="Language of messages; else the locale's.")]  # noqa: UP045 - typer on 3.10
