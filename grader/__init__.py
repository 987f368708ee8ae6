"""Grade one Assignment 1 submission: parts of a modern transformer, in PyTorch.

Importing this package imports nothing else; see ``grader.session.grade`` for the main path.
"""

__version__ = "0.1.0"
