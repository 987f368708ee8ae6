"""A counter-example as the report holds it."""

from __future__ import annotations

from typing import Literal

from grader.report.base import Model


class ExampleInput(Model):
    """A tensor that goes into a counter-example, or weights that are all the same.

    Attributes:
        name: of the argument or parameter; of several parameters their names with commas.
        text: its numbers, nested as its axes are; a large one as the expression that makes it.
    """

    name: str
    shape: list[int]
    dtype: str
    text: str


class ExampleRow(Model):
    """One line of numbers along the last axis.

    Attributes:
        at: its place on the axes before.
        given: the submission's numbers; empty when it gave none.
        right: a right program's.
        wrong: which of them are wrong.
    """

    at: list[int]
    given: list[str]
    right: list[str]
    wrong: list[int]


class CounterExample(Model):
    """The smallest input that was found on which the submission is still wrong in the way that the check saw.

    Attributes:
        source: worked out in the chapter, made of small numbers, or cut down from the check's own input.
        inputs: every tensor that goes in, in the order of the calls.
        call: the last call, with names in place of tensors.
        given: what the snippet prints with the submission, or the exception that it raises.
        right: what it prints with a right program; ``a .. b`` for whole numbers of which each is right.
        rows: the numbers among them; none when it is about a shape, a dtype, an error or parameters.
        snippet: Python that needs the submission and torch only.
        numbers: how many numbers go in: elements of inputs, positions, whole-number arguments, and weights that are
            neither an identity nor one value everywhere.
    """

    source: Literal["chapter", "designed", "shrunk"]
    inputs: list[ExampleInput]
    call: str
    given: str
    right: str
    rows: list[ExampleRow]
    snippet: str
    numbers: int
