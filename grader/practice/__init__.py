"""Practice in a notebook: live objects of this process are graded where they are.

Nothing is isolated here and no time limit holds, and reports say so; a grade is given on files, by ``grader check``.
"""

from grader.practice.magic import load_ipython_extension
from grader.practice.run import check

__all__ = ["check", "load_ipython_extension"]
