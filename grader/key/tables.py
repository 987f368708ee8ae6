"""What a key holds of the mistakes that show in one check.

Every exchange of a check is a slot. For a slot the table lists the different answers that programs with one mistake
give, the right one first, each as its form and a sample of its elements. For two mistakes at once it holds a few
elements of a few slots, where neither of the two alone tells what both together answer.
"""

from __future__ import annotations

from typing import Optional

from pydantic import BaseModel, ConfigDict

from grader.key.flat import Ref


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RecordedForm(_Model):
    """Answers of one form.

    Attributes:
        digest: ``Reduced.form``.
        places: which elements of ``Reduced.elements`` are held.
        count: how many different answers have this form.
        values: ``[count, len(places)]``; None where no elements are held.
        failed: whether it is an exception.
    """

    digest: int
    places: list[int] = []
    count: int = 1
    values: Optional[Ref] = None  # noqa: UP045 - evaluated on Python 3.10 too
    failed: bool = False


class RecordedPairs(_Model):
    """Two mistakes at once, for every two classes that cannot be put together from single ones.

    Attributes:
        slots: those that are compared.
        probes: slot and element of each value that is held, slot by slot.
        held: bits, one for every two classes ``first < second`` in that order: whether they are held here.
        forms: the different lists of digests, one digest a slot.
        form_of: which of them each pair has, ``[pairs]``.
        values: ``[pairs, len(probes)]``; FP16: coarse.
    """

    slots: list[int]
    probes: list[tuple[int, int]]
    held: Ref
    forms: list[list[int]]
    form_of: Ref
    values: Ref


class RecordedTable(_Model):
    """One check.

    Attributes:
        cases: how many slots each case has.
        slots: the forms of every slot; answers are numbered through them, 0 is right.
        shown: indices of the mistakes that show here, in ``KitFacts.mistakes``.
        answers: the number of the answer in every slot, ``[shown, slots]``.
        class_of: mistakes of one class answer alike, ``[shown]``.
        loud: classes that a right program's loose tolerance tells apart from right.
        loud_only: of two mistakes that are not held as a pair, one that is not loud is left out of account.
    """

    cases: list[int]
    slots: list[list[RecordedForm]]
    shown: list[int]
    answers: Ref
    class_of: list[int]
    loud: list[int]
    loud_only: bool
    pairs: Optional[RecordedPairs] = None  # noqa: UP045 - evaluated on Python 3.10 too
