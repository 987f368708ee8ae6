"""Landlock: a submission reads Python and its packages, and writes nothing.

Without it a local worker reads what the user reads: the solution, other students' work, keys. What is allowed is listed
in ``readable``. The list is made once, before any submission is there; each worker only takes it on.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
import tempfile
from pathlib import Path

from grader.worker.defences import kernel
from grader.worker.defences.readable import WRITABLE, devices, readable

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same on every instruction set
_ASK_VERSION = 1
_PATH_BENEATH = 1

_WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 1, 1 << 2, 1 << 3
_CONTROL = 1 << 15
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: _CONTROL}
"""Rights that exist from a version on: all of the first, then moving, truncating, and controlling devices."""
_NETWORK_RIGHTS = 3  # bind and connect, from version 4 on
_SCOPES = 3  # no sockets of processes outside, no signals to them, from version 6 on


class Ruleset:
    """What workers may open; made once, taken on by each.

    Args:
        gpu: whether they may drive one.
    """

    def __init__(self, *, gpu: bool = False) -> None:
        tempfile.gettempdir()  # finds out now, since libraries that ask later could try none
        self._descriptor: int | None = None
        self._problem = ""
        try:
            self._descriptor = _create()
            self._controls = _CONTROL if version() >= 5 else 0
            for path in readable(gpu=gpu):
                self._allow(path, _WRITE_FILE if str(path) in WRITABLE else 0)
            for path in devices() if gpu else ():
                self._allow(path, _WRITE_FILE | self._controls)
        except OSError as error:  # a kernel without it: ``apply`` says so
            self._problem = str(error)

    def descriptors(self) -> list[int]:
        """What must stay open until ``apply``."""
        return [] if self._descriptor is None else [self._descriptor]

    def apply(self) -> None:
        """Restrict this thread, and all that it starts, for good. Raises OSError."""
        if self._descriptor is None or self._problem:
            raise OSError(self._problem)
        if len(os.listdir("/proc/self/task")) > 1:
            raise OSError("this process has threads already, which would stay as they are")
        self._allow(Path("/proc/self"))
        kernel.no_new_privileges()
        kernel.call(_RESTRICT, ctypes.c_int(self._descriptor), ctypes.c_uint(0))
        os.close(self._descriptor)
        self._descriptor = None

    def _allow(self, path: Path, more: int = 0) -> None:
        rights = _READ_FILE | more
        with contextlib.suppress(FileNotFoundError, PermissionError):  # what this user cannot open needs no rule
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                    rights |= _READ_FOLDER
                rule = ctypes.c_char_p(struct.pack("<Qi", rights, descriptor))
                kernel.call(
                    _ADD_RULE, ctypes.c_int(self._descriptor or 0), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint(0)
                )
            finally:
                os.close(descriptor)


def version() -> int:
    """The kernel's version of Landlock. Raises OSError where there is none."""
    kernel.architecture()
    return kernel.call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION))


def _create() -> int:
    known = version()
    files = 0
    for since, rights in _FILE_RIGHTS.items():
        files |= rights if known >= since else 0
    fields = [files]
    if known >= 4:
        fields.append(_NETWORK_RIGHTS)
    if known >= 6:
        fields.append(_SCOPES)
    attributes = struct.pack(f"<{len(fields)}Q", *fields)
    return kernel.call(_CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
