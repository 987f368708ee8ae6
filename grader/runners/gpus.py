"""The GPUs of this machine: which there are, and a lease on one of them, so that no two rounds share it.

Nothing here initialises CUDA: the driver's own program is asked, and a process that forks workers must not have a
context.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from grader.errors import GraderError
from grader.runners.launch import GPUS

PATIENCE = 3600.0
"""Seconds that a round waits for a GPU that others use."""

_QUERY = ("--query-gpu=index,uuid,name,memory.total,driver_version", "--format=csv,noheader,nounits")
_TIMEOUT = 20.0
_LOOK_AGAIN = 0.2


@dataclass(frozen=True)
class Gpu:
    """One GPU.

    Attributes:
        id: what ``CUDA_VISIBLE_DEVICES`` calls it.
        memory: MiB; 0 where nothing says.
    """

    id: str
    name: str = ""
    memory: int = 0
    driver: str = ""


def visible(environment: Mapping[str, str] | None = None) -> list[Gpu]:
    """The GPUs that this process may use, in the order in which ``cuda:0``, ``cuda:1``, ... count them.

    Args:
        environment: whose ``CUDA_VISIBLE_DEVICES`` counts, as a scheduler sets it; None: this process's.
    """
    named = (os.environ if environment is None else environment).get(GPUS)
    there = _installed()
    if named is None:
        return [gpu for _, gpu in there]
    chosen: list[Gpu] = []
    for id in filter(None, (part.strip() for part in named.split(","))):
        known = [gpu for uuid, gpu in there if id == gpu.id or uuid.startswith(id)]
        if not known and not id.startswith("MIG-"):
            break  # as CUDA does: what stands behind an id that is none does not count
        chosen.append(Gpu(id, *((known[0].name, known[0].memory, known[0].driver) if known else ())))
    return chosen if there else []


def needed(devices: Sequence[str]) -> None:
    """Return when every GPU that is named can be used here.

    Args:
        devices: ``cuda`` or ``cuda:N``.

    Raises:
        GraderError: one sentence that says what is missing.
    """
    if not devices:
        return
    there = visible()
    if not there:
        raise GraderError(f"no GPU can be used here, and --device asks for {', '.join(devices)}")
    for device in devices:
        number = int(device.partition(":")[2] or 0)
        if number >= len(there):
            raise GraderError(f"there is no {device} here: GPUs are numbered from 0, and there are {len(there)}")


def torch_needed() -> None:
    """Return when the PyTorch of this installation can have CUDA, without importing it. Raises GraderError."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        version = metadata.version("torch")
        if version.endswith("+cpu"):
            raise GraderError(f"no GPU can be used: PyTorch {version} is a build for the CPU alone")


class Lease:
    """One GPU, held until ``end``: by one process at a time, whichever processes of this user there are.

    Args:
        number: which; None: the first that is free.
        patience: seconds to wait for one.
        folder: of the locks; None: one of this user's for temporary files.

    Raises:
        GraderError: there is none, or none became free.
    """

    def __init__(self, number: int | None, *, patience: float = PATIENCE, folder: Path | None = None) -> None:
        import filelock  # only where there is a GPU: it is not among the quick ones

        there = visible()
        wanted = there if number is None else there[number : number + 1]
        if not wanted:
            raise GraderError("no GPU can be used here" if number is None else f"there is no cuda:{number} here")
        locks = _folder() if folder is None else folder
        deadline = time.monotonic() + patience
        while True:
            for gpu in wanted:
                lock = filelock.FileLock(locks / f"{re.sub('[^A-Za-z0-9-]', '_', gpu.id)}.lock")
                with contextlib.suppress(filelock.Timeout):
                    lock.acquire(timeout=0)
                    self.gpu, self._lock = gpu, lock
                    return
            if time.monotonic() > deadline:
                raise GraderError(f"no GPU became free within {patience:g} s")
            time.sleep(_LOOK_AGAIN)

    def end(self) -> None:
        """Let others have it. Safe to call twice."""
        self._lock.release()


def _folder() -> Path:
    """Where locks lie: the system frees those of a process that has ended, whatever became of it."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = Path(tempfile.gettempdir()) / f"assignment1-grader-gpus-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise GraderError(f"no lease on a GPU can be kept in {folder}: {error.strerror}") from None
    return folder


def _installed() -> list[tuple[str, Gpu]]:
    """Every GPU of the machine with its UUID, by number."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return [("", Gpu(str(number))) for number, _ in enumerate(_device_files())]
    try:
        ran = subprocess.run(  # noqa: S603 - the driver's own program
            [program, *_QUERY], capture_output=True, encoding="utf-8", timeout=_TIMEOUT, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [[cell.strip() for cell in line.split(",")] for line in ran.stdout.splitlines() if line.strip()]
    return [
        (uuid, Gpu(index, name, int(memory) if memory.isdigit() else 0, driver))
        for index, uuid, name, memory, driver in (row for row in rows if len(row) == len(_QUERY[0].split(",")))
    ]


def _device_files() -> list[Path]:
    return sorted(Path("/dev").glob("nvidia[0-9]*"))
