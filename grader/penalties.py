"""One mistake costs its own points once: what fails only because of it is carried forward.

A mistake in RoPE makes attention, block and stack wrong as well, though their own code may be right. Where the named
mistakes explain a check's numbers, and other checks are there to catch those mistakes and have failed, the check has
shown nothing more: it passes as carried forward (exam boards call this error carried forward).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from grader.catalogue import all_checks


def carried_forward(explained: Mapping[str, Sequence[str]], rough: Collection[str]) -> list[str]:
    """The failed checks that cost nothing.

    A mistake is paid for by the failed checks that are there to catch it; where there is none, by the first failed
    check that shows it.

    Args:
        explained: ids of the mistakes that explain a failed check, by check, parts before wholes.
        rough: explained checks that may hide a loss of precision besides; they are never carried.
    """
    paying = set(rough)
    for mistake in {mistake for explaining in explained.values() for mistake in explaining}:
        showing = [check for check, explaining in explained.items() if mistake in explaining]
        paying.update([check for check in showing if mistake in all_checks()[check].catches] or showing[:1])
    return [check for check in explained if check not in paying]
