"""Which formats there are, and what each is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """One format.

    Attributes:
        report: can be made of one report.
        run: can be made of a run over a class.
        says_not_graded: has words of its own for a report without a grade; the others then write nothing.
        file: where it goes without ``-o``; empty: to standard output.
        folder: if this folder exists, ``file`` is in it, since the platform's grading machine is where we are.
    """

    name: str
    report: bool = False
    run: bool = False
    says_not_graded: bool = False
    file: str = ""
    folder: str = ""


_ALL = (
    Format("gradescope", report=True, file="/autograder/results/results.json", folder="/autograder/results"),
    Format("prairielearn", report=True, says_not_graded=True, file="/grade/results/results.json", folder="/grade"),
    Format("classroom50", report=True, file="./result.json"),
    Format("junit", report=True, run=True, says_not_graded=True),
    Format("ctrf", report=True, run=True, says_not_graded=True),
    Format("github-summary", report=True, says_not_graded=True),
    Format("lms-template", run=True),
    Format("feedback-zip", run=True),
    Format("similarity", run=True),
)
FORMATS = {one.name: one for one in _ALL}
