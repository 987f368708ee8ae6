"""Reads an answer key."""

from __future__ import annotations

import functools
import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from safetensors import SafetensorError
from safetensors.torch import load
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
        content = gzip.decompress(path.read_bytes())
        index = Index.model_validate_json(_header(content).get(INDEX, ""))
        return Key(facts.read(folder), index.cases, index.tables, load(content))
    except (OSError, EOFError, ValueError, zlib.error, SafetensorError) as error:  # pydantic's are ValueErrors
        raise GraderError(f"this kit is damaged, unpack it again: {path}: {error}") from None


def _header(content: bytes) -> dict[str, str]:
    """What the file says beside its tensors: after eight bytes with its length comes a JSON header."""
    length = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + length]).get("__metadata__", {})
    return metadata if isinstance(metadata, dict) else {}
