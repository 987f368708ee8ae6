"""Grade one Assignment 1 submission: parts of a modern transformer, in PyTorch.

Importing this package imports nothing else; see ``grader.session.grade`` for the main path.

In a notebook ``grader.check(apply_rope=apply_rope)`` and ``%load_ext grader`` grade live objects; see ``practice``.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, without importing it
if TYPE_CHECKING:
    from grader.practice import check as check
    from grader.practice import load_ipython_extension as load_ipython_extension

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """What is for notebooks, imported when it is asked for: the worker and ``grader list`` do without."""
    if name == "check":
        from grader.practice import check

        return check
    if name == "load_ipython_extension":
        from grader.practice import load_ipython_extension

        return load_ipython_extension
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
