"""What a kit says of itself. Imports no torch, so that ``grader list`` stays quick."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, PlainSerializer, ValidationError

from grader.errors import GraderError

FACTS, TENSORS = "key.json", "key.safetensors.gz"
FOLDER = Path(__file__).parent


class KnownMistake(BaseModel):
    """A mistake that the key has signatures of; see ``diagnosis.mistakes.registry.Mistake``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    part: str
    sentence: str
    is_lasting: bool


class KitFacts(BaseModel):
    """Everything of a key that is no tensor and not about one case.

    Attributes:
        seed: with which inputs were drawn.
        hidden: how many checks run only at grading, by section.
        hidden_points: what they are worth together.
        names: which of the contract's names each check calls.
        mistakes: those that at least one check of the kit shows, in the order in which they are tried.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    hidden: dict[str, int]
    hidden_points: int
    names: dict[str, Annotated[frozenset[str], PlainSerializer(sorted)]]
    mistakes: list[KnownMistake]

    @property
    def hidden_checks(self) -> int:
        """How many checks run only at grading."""
        return sum(self.hidden.values())


def read(folder: Path) -> KitFacts:
    """The facts of the key in ``folder``. Raises GraderError when they cannot be read."""
    try:
        return KitFacts.model_validate_json((folder / FACTS).read_bytes())
    except (OSError, ValidationError) as error:
        raise GraderError(f"this kit is damaged, unpack it again: {folder / FACTS}: {error}") from None


@functools.cache
def of_this_copy() -> KitFacts | None:
    """The facts, when this copy of the grader is a kit; None when it has the reference."""
    return read(FOLDER) if (FOLDER / FACTS).exists() else None
