"""``python -m grader`` is the ``grader`` command."""

import os
import sys

# -m puts the current folder first: a student's random.py there would be imported in place of the standard library's.
# Where the grader itself lies (a checkout that is not installed) it must stay.
_ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if sys.path and os.path.abspath(sys.path[0]) == os.getcwd() != _ours:
    del sys.path[0]

from grader.cli import main  # noqa: E402 - only now

main()
