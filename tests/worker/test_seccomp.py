"""The filter of system calls, step by step and for both instruction sets: what it allows and what it refuses."""

from __future__ import annotations

import errno
import struct

import pytest

from grader.worker.defences import seccomp, syscalls
from grader.worker.defences.kernel import AARCH64, X86_64

OWN = 4321
ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE, UNKNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
AUDIT = {X86_64: 0xC000003E, AARCH64: 0xC00000B7}
HARMLESS = {
    "read": (0, 63),
    "write": (1, 64),
    "mmap": (9, 222),
    "futex": (202, 98),
    "close": (3, 57),
    "open": (257, 56),
}
I386 = 0x40000003

machines = pytest.mark.parametrize("machine", [X86_64, AARCH64])


def verdict(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """Run the filter as the kernel would."""
    given = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, AUDIT[machine] if audit is None else audit, 0, *given)
    steps = seccomp.program(machine, OWN)
    at, loaded = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            (loaded,) = struct.unpack_from("<I", data, value)
            continue
        true = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[code]
        at += if_true if true else if_false


def number(call: syscalls.Number, machine: str) -> int:
    found = getattr(call, machine)
    assert found is not None
    return found


@machines
@pytest.mark.parametrize("name", syscalls.REFUSED)
def test_what_a_submission_has_no_use_for_is_refused(machine, name):
    found = getattr(syscalls.REFUSED[name], machine)

    assert found is None or verdict(machine, found) == REFUSE


@machines
@pytest.mark.parametrize("name", HARMLESS)
def test_what_every_program_does_is_allowed(machine, name):
    assert verdict(machine, HARMLESS[name][machine == AARCH64], 3, 5, 7) == ALLOW


@machines
def test_threads_are_allowed_and_processes_are_not(machine):
    as_a_thread, as_a_process = 0x3D0F00, 0x1200011

    assert verdict(machine, number(syscalls.CLONE, machine), as_a_thread) == ALLOW
    assert verdict(machine, number(syscalls.CLONE, machine), as_a_process) == REFUSE
    assert verdict(machine, number(syscalls.CLONE3, machine)) == UNKNOWN


@machines
@pytest.mark.parametrize("name", syscalls.SIGNALS)
@pytest.mark.parametrize(
    ("target", "expected"), [(OWN, ALLOW), (OWN + 1, REFUSE), (1, REFUSE), (0, REFUSE), (2**32 - 1, REFUSE)]
)
def test_a_process_signals_itself_alone(machine, name, target, expected):
    assert verdict(machine, number(syscalls.SIGNALS[name], machine), target, 9) == expected


@machines
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param((0, 7, 0, 0x7FFF1234), ALLOW, id="reads its own"),
        pytest.param((0, 7, 0x7FFF1234, 0), REFUSE, id="sets its own"),
        pytest.param((0, 7, 0x7FFF00000000, 0), REFUSE, id="sets its own, the address a multiple of 4 GiB"),
        pytest.param((OWN + 1, 7, 0x7FFF1234, 0), REFUSE, id="sets another's"),
    ],
)
def test_limits_are_read_and_not_set(machine, arguments, expected):
    assert verdict(machine, number(syscalls.PRLIMIT64, machine), *arguments) == expected


@machines
@pytest.mark.parametrize(("asked", "expected"), [(0x5412, REFUSE), (0x541C, REFUSE), (0x5413, ALLOW), (0x5401, ALLOW)])
def test_nobody_types_into_the_terminal(machine, asked, expected):
    assert verdict(machine, number(syscalls.IOCTL, machine), 0, asked) == expected


@machines
@pytest.mark.parametrize(("option", "expected"), [(1, REFUSE), (15, ALLOW)])
def test_the_end_of_the_parent_stays_the_end_of_the_worker(machine, option, expected):
    assert verdict(machine, number(syscalls.PRCTL, machine), option) == expected


@machines
def test_calls_by_other_numbers_end_the_process(machine):
    read = HARMLESS["read"][machine == AARCH64]

    assert verdict(machine, read, audit=I386) == KILL


def test_the_third_way_to_number_calls_is_refused():
    assert verdict(X86_64, 0x40000000 | 41) == REFUSE


@machines
def test_no_two_refused_calls_share_a_number(machine):
    numbers = [getattr(call, machine) for call in syscalls.REFUSED.values()]
    known = [one for one in numbers if one is not None]

    assert len(set(known)) == len(known)
