"""A filter on system calls: a submission computes, so it may not start programs, reach the network or signal others.

Refused calls fail with EPERM, which Python shows as PermissionError at the student's own line. Threads are allowed, new
processes are not: ``clone`` needs CLONE_THREAD. ``clone3`` keeps its flags in memory, where no filter
sees them; it fails with ENOSYS, and the C library falls back to ``clone``.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from grader.worker.defences import kernel, syscalls
from grader.worker.defences.syscalls import Number

_SECCOMP = Number(317, 277)
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_AUDIT = {kernel.X86_64: 0xC000003E, kernel.AARCH64: 0xC00000B7}  # linux/audit.h
_X32_CALLS = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # linux/bpf_common.h
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_REFUSE = 0x00050000 | errno.EPERM
_UNKNOWN = 0x00050000 | errno.ENOSYS
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

_CLONE_THREAD = 0x00010000
_FAKE_INPUT, _CONSOLE = 0x5412, 0x541C  # TIOCSTI and TIOCLINUX: type into the terminal of whoever started this
_SET_PARENT_DEATH_SIGNAL = 1

Step = tuple[int, int, int, int]
"""Code, jump if true, jump if false, constant."""


def apply() -> None:
    """Filter all threads of this process, for good. Raises OSError."""
    machine = kernel.architecture()
    steps = b"".join(struct.pack("<HBBI", *step) for step in program(machine, os.getpid()))
    buffer = ctypes.create_string_buffer(steps)
    filter_ = struct.pack("@HxxxxxxP", len(steps) // 8, ctypes.addressof(buffer))
    kernel.no_new_privileges()
    number = getattr(_SECCOMP, machine)
    kernel.call(number, ctypes.c_uint(_SET_MODE_FILTER), ctypes.c_uint(_ALL_THREADS), ctypes.c_char_p(filter_))


def program(machine: str, own: int) -> list[Step]:
    """The filter as steps of classic BPF.

    Args:
        own: id of this process, the only one that it may signal.
    """
    steps: list[Step] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_RETURN, 0, 0, _KILL),  # 32-bit calls have other numbers
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == kernel.X86_64:
        steps += [(_AT_LEAST, 0, 1, _X32_CALLS), (_RETURN, 0, 0, _REFUSE)]

    def on(call: Number, *body: Step) -> None:
        number = getattr(call, machine)
        if number is not None:
            steps.extend([(_EQUAL, 0, len(body), number), *body])

    for call in syscalls.REFUSED.values():
        on(call, (_RETURN, 0, 0, _REFUSE))
    on(syscalls.CLONE3, (_RETURN, 0, 0, _UNKNOWN))
    on(syscalls.CLONE, *_when(_ANY_BIT, 0, _CLONE_THREAD))
    for call in syscalls.SIGNALS.values():
        on(call, *_when(_EQUAL, 0, own))
    on(syscalls.SCHED_SETAFFINITY, *_when(_EQUAL, 0, 0))
    on(syscalls.PRLIMIT64, *_reads_own_limits())
    on(syscalls.IOCTL, *_unless(1, _FAKE_INPUT, _CONSOLE))
    on(syscalls.PRCTL, *_unless(0, _SET_PARENT_DEATH_SIGNAL))
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _argument(index: int, *, high: bool = False) -> Step:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index + 4 * high)  # little endian


def _when(test: int, index: int, value: int) -> list[Step]:
    """Allow when the lower half of an argument passes the test, refuse otherwise."""
    return [_argument(index), (test, 0, 1, value), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]


def _unless(index: int, *values: int) -> list[Step]:
    """Refuse when the lower half of an argument is one of the values, allow otherwise."""
    tests = [(_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return [_argument(index), *tests, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]


def _reads_own_limits() -> list[Step]:
    """``prlimit64(0, which, NULL, old)``: any process of this user could be given other limits with it."""
    return [
        _argument(0),
        (_EQUAL, 0, 5, 0),
        _argument(2),
        (_EQUAL, 0, 3, 0),
        _argument(2, high=True),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
