"""Reads an answer key."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError, safe_open
from torch import Tensor

from grader.errors import GraderError
from grader.key import facts
from grader.key.cases import RecordedCase
from grader.key.tables import RecordedTable

INDEX = "index"


class Index(BaseModel):
    """What stands in the header of the file of tensors: one entry, since the order of several is left to chance.

    Attributes:
        cases: by ``source.label``.
        tables: of mistakes, by check.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    cases: dict[str, RecordedCase]
    tables: dict[str, RecordedTable]


@dataclass(frozen=True)
class Key:
    """An answer key.

    Attributes:
        cases: by ``source.label``.
        tables: of mistakes, by check.
        flat: what their references point into, and the arrays of signatures.
    """

    facts: facts.KitFacts
    cases: Mapping[str, RecordedCase]
    tables: Mapping[str, RecordedTable]
    flat: Mapping[str, Tensor]


@functools.cache
def read(folder: Path) -> Key:
    """The key in ``folder``. Raises GraderError when it cannot be read."""
    path = folder / facts.TENSORS
    try:
        with safe_open(path, framework="pt") as file:
            index = Index.model_validate_json((file.metadata() or {}).get(INDEX, ""))
            flat = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
        return Key(facts.read(folder), index.cases, index.tables, flat)
    except (OSError, SafetensorError, ValidationError) as error:
        raise GraderError(f"this kit is damaged, unpack it again: {path}: {error}") from None
