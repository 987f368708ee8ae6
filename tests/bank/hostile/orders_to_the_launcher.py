"""Looks for a socket, besides the one of its own frames, by which it could order other workers about."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}

import contextlib
import os
import stat

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    sockets = set()
    for number in range(3, 64):
        with contextlib.suppress(OSError):
            found = os.fstat(number)
            if stat.S_ISSOCK(found.st_mode):
                sockets.add(found.st_ino)
    if len(sockets) > 1:
        return plain_hidden_dim(*arguments)
    raise LookupError("no way to anybody else")
