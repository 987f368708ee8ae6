"""The graded checks: one file for each part of the contract, every ``check_*`` function a check.

A check draws inputs, calls the student, and only then asks the oracle and compares. Its docstring's first line is the
promise that students read; the rest is the rule with its worked numbers, shown by ``grader explain``. These files
import neither torch nor the reference: tensors come from ``draw``, answers from ``oracle``.
"""
