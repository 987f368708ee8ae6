"""Pictures as data: what a wrong answer shows, in numbers that a renderer can draw and a script can read.

Each is made from one comparison, of one sequence of the batch, and holds a few hundred numbers at most.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Union

from pydantic import BaseModel, ConfigDict, Field

MOST_PLACES = 64
"""Tokens, heads or pairs in one picture; a wider tensor gets none."""
MOST_PAIRS = 4
MOST_PICTURES = 4

Number = Annotated[float, Field(allow_inf_nan=False)]
Point = tuple[Number, Number]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RotatedPair(_Model):
    """One pair of components before and after RoPE.

    Attributes:
        pair: r, which stands for the components 2r and 2r + 1.
        angle: p theta_r in radians.
        given: the pair as it went in.
        right: turned by ``angle``.
        yours: what the submission returned.
    """

    pair: int
    angle: Number
    given: Point
    right: Point
    yours: Point


class Rotation(_Model):
    """Some pairs of one token of one head, as arrows."""

    kind: Literal["rotation"] = "rotation"
    sequence: int
    token: int
    head: int
    position: int
    pairs: list[RotatedPair] = Field(min_length=1, max_length=MOST_PAIRS)


class ByPosition(_Model):
    """The error of every token: of its worst element, the difference and how much is allowed there.

    Attributes:
        positions: where each token stands; its index where nothing else is known.
    """

    kind: Literal["by_position"] = "by_position"
    sequence: int
    positions: list[int] = Field(max_length=MOST_PLACES)
    error: list[Number] = Field(max_length=MOST_PLACES)
    allowed: list[Number] = Field(max_length=MOST_PLACES)


class ByPair(_Model):
    """The error of every frequency pair r = 0, 1, ...: of its worst element, as in ``ByPosition``."""

    kind: Literal["by_pair"] = "by_pair"
    error: list[Number] = Field(max_length=MOST_PLACES)
    allowed: list[Number] = Field(max_length=MOST_PLACES)


class Heads(_Model):
    """Which key/value head each query head read, and which is right."""

    kind: Literal["heads"] = "heads"
    key_heads: int
    right: list[int] = Field(max_length=MOST_PLACES)
    yours: list[int] = Field(max_length=MOST_PLACES)


class Causal(_Model):
    """Which of the keys each query may see, and which it saw: a list of key indices a query."""

    kind: Literal["causal"] = "causal"
    keys: int
    right: list[list[int]]
    yours: list[list[int]]


class Timeline(_Model):
    """The position of every token in the order in which they came: the right one, and the one that was used."""

    kind: Literal["timeline"] = "timeline"
    sequence: int
    right: list[int] = Field(max_length=MOST_PLACES)
    yours: list[int] = Field(max_length=MOST_PLACES)


Picture = Union[Rotation, ByPosition, ByPair, Heads, Causal, Timeline]  # noqa: UP007 - evaluated on Python 3.10 too


def number(value: float) -> float:
    """Six digits of ``value``, within what JSON and a drawing can hold."""
    if math.isnan(value):
        return 0.0
    return float(f"{max(-1e30, min(1e30, value)):.6g}")
