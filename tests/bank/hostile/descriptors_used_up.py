"""Opens descriptors until there are none left."""

MUTATES = "assignment1/attention.py"
EXPECTED = {"attention.cache-bytes": {"student_error"}}

import os
import resource


def kv_cache_bytes(*_):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    while True:
        os.dup(0)
