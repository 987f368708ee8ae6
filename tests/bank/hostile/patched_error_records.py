"""Replaces what its process says about exceptions by records without type and message."""

MUTATES = "assignment1/attention.py"
EXPECTED = {
    "attention.errors": {"fail"},
    "gqa.errors": {"fail"},
    "advice.error-messages": {"fail"},
}

import gc
import sys

serve = sys.modules["grader.worker.serve"]
serve.describe = lambda error, kind: {"kind": "raised"}
for server in gc.get_objects():
    if isinstance(server, serve.Server):
        server._describe = serve.describe
