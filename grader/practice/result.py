"""What ``grader.check`` returns: a report that a notebook shows in colour and a terminal as text."""

from __future__ import annotations

import io
import sys

from rich.console import Console

from grader.report.models import Report
from grader.report.terminal import Progress, print_report

_WIDTH = 110
_FORMAT = (
    '<pre style="white-space: pre; overflow-x: auto; line-height: 1.4; font-family: monospace">'
    "<code>{code}</code></pre>"
)


class Practice:
    """A practice run.

    Attributes:
        report: the same as ``report.json`` holds.
        language: of ``str()`` and of what a notebook shows.
    """

    def __init__(self, report: Report, language: str) -> None:
        self.report, self.language = report, language

    @property
    def score(self) -> int | None:
        """Points of the checks that ran; None when the grader itself failed."""
        return self.report.score

    @property
    def max_score(self) -> int:
        """What they are worth."""
        return self.report.max_score

    def __str__(self) -> str:
        """What ``grader check`` prints, with no character that standard output cannot encode."""
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        console = Console(file=_Text(encoding), width=_WIDTH, color_system=None, force_jupyter=False)
        with console.capture() as captured:
            self._print(console)
        return captured.get().rstrip().encode(encoding, "replace").decode(encoding)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The same in colour; everything a submission said is escaped."""
        console = Console(
            file=_Text("utf-8"), width=_WIDTH, color_system="truecolor", force_jupyter=False, force_terminal=True
        )
        console.record = True
        self._print(console)
        return console.export_html(inline_styles=True, code_format=_FORMAT)

    def _print(self, console: Console) -> None:
        progress = Progress(console, self.language, total=len(self.report.checks))
        for check in self.report.checks:
            progress.show(check)
        print_report(console, self.report, self.language)


class _Text(io.StringIO):
    """A text stream that says which characters may be written to it."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]  # read-only here
        return self._encoding
