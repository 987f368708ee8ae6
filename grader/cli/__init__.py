"""The ``grader`` command. This package alone picks a runner; ``--help``, ``list`` and ``explain`` import no torch."""

from grader.cli.app import main

__all__ = ["main"]
