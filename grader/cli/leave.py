"""How a command ends."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """Exit at once: taking torch apart at interpreter exit would cost a student a tenth of a second."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # the reader has gone
            stream.flush()
    os._exit(code)
