"""Replaces what its process says about exceptions by records without type and message."""

MUTATES = "assignment1/attention.py"
EXPECTED = {
    "attention.errors": {"fail"},
    "gqa.errors": {"fail"},
    "advice.error-messages": {"fail"},
}

import sys

sys.modules["grader.worker.serve"].describe = lambda error, kind: {"kind": "raised"}
