"""Runs in a container, as text after ``python -c``: tries what a submission must not be able to do, and prints facts.

Standard library only, and nothing of ours: the image holds the worker's files and no more.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

WRITE_TARGETS = (
    *("/", "/dev", "/dev/shm", "/etc", "/home", "/opt", "/opt/python/bin", "/opt/worker"),  # noqa: S108 - the container's own
    *("/root", "/run", "/usr", "/var/tmp"),  # noqa: S108 - the container's own
)
_LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_USER_NAMESPACE = 0x10000000
_IO_URING_SETUP = 425
_MOST_PROCESSES = 600


def main() -> None:
    """Print all facts as one line of JSON. Arguments: the memory limit and the size of /tmp, in MiB."""
    memory, scratch = int(sys.argv[1]), int(sys.argv[2])
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    facts = {
        "uid": os.getuid(),
        "groups": sorted({os.getgid(), *os.getgroups()}),
        "capabilities": sorted({status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}),
        "no_new_privileges": int(status["NoNewPrivs"]),
        "seccomp_mode": int(status["Seccomp"]),
        "interfaces": _interfaces(),
        "writable": [folder for folder in WRITE_TARGETS if _is_writable(folder)],
        "executes_in_tmp": _executes_in_tmp(),
        "scratch_mib": _fill(scratch + 16),
        "descriptors": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        "core_bytes": resource.getrlimit(resource.RLIMIT_CORE)[1],
        "new_user_namespace": _LIBC.unshare(_NEW_USER_NAMESPACE) == 0,
        "io_uring": _reaches_kernel(_IO_URING_SETUP),
        "init": Path("/proc/1/comm").read_text().strip(),
        "environment": sorted(os.environ),
        "of_the_verifier": _of_the_verifier(),
        "torch": _torch_version(),
        "cpus": _busy(),
        "processes": _fork_many(),
        "memory_ends_it": _use_memory(memory + 128),
    }
    print(json.dumps(facts))  # noqa: T201 - what it is for


def _interfaces() -> list[str]:
    return sorted(line.split(":")[0].strip() for line in Path("/proc/net/dev").read_text().splitlines()[2:])


def _is_writable(folder: str) -> bool:
    path = Path(folder) / "written-by-a-probe"
    try:
        path.write_text("")
        path.unlink()
    except OSError:
        return False
    return True


def _executes_in_tmp() -> bool:
    script = Path("/tmp/probe.sh")  # noqa: S108 - the container's own
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    try:
        return subprocess.run([str(script)], check=False).returncode == 0  # noqa: S603 - a probe's own script
    except OSError:
        return False
    finally:
        script.unlink()


def _fill(most: int) -> int:
    """How many MiB /tmp takes, at most ``most``."""
    path, written = Path("/tmp/fill"), 0.0  # noqa: S108 - the container's own
    with path.open("wb", buffering=0) as file:
        try:
            while written < most:
                written += file.write(b"\0" * (1 << 20)) / (1 << 20)
        except OSError:
            pass
    path.unlink()
    return int(written)


def _reaches_kernel(number: int) -> bool:
    _LIBC.syscall(number, 0, 0)
    return ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS)


def _of_the_verifier() -> list[str]:
    """Files by whose names the solution, the checks or the tests could be known."""
    names = ("reference", "check_", "oracle", "assignment.toml", "bank")
    ours = [path for root in ("/opt/worker", "/tmp", "/home", "/srv") for path in Path(root).rglob("*")]  # noqa: S108 - the container's own
    return [str(path) for path in ours if any(name in path.name for name in names)][:20]


def _torch_version() -> str:
    for path in sys.path:
        for found in Path(path).glob("torch-*.dist-info"):
            return found.name.removeprefix("torch-").removesuffix(".dist-info")
    return ""


def _busy(seconds: float = 0.4) -> float:
    """How many cores two busy processes get."""
    began = time.monotonic()
    for _ in range(2):
        if os.fork() == 0:
            while time.monotonic() < began + seconds:
                pass
            os._exit(0)
    for _ in range(2):
        os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((used.ru_utime + used.ru_stime) / (time.monotonic() - began), 2)


def _fork_many() -> int:
    """How many processes may run, this one and its parents included; -1: more than were tried."""
    children: list[int] = []
    try:
        while len(children) < _MOST_PROCESSES:
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            children.append(pid)
    except OSError:
        return sum(name.isdigit() for name in os.listdir("/proc"))
    else:
        return -1
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _use_memory(mebibytes: int) -> bool:
    """Whether a process that writes to so much memory is killed."""
    pid = os.fork()
    if pid == 0:
        Path("/proc/self/oom_score_adj").write_text("1000")
        held = [bytearray(b"a" * (8 << 20)) for _ in range(mebibytes // 8)]
        os._exit(0 if held else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


if __name__ == "__main__":
    main()
