"""The fingerprint of the machine and of the grader itself."""

from __future__ import annotations

import functools
import hashlib
import platform
from importlib import resources
from importlib.resources.abc import Traversable

import torch

from grader import __version__
from grader.report.models import Environment


def current() -> Environment:
    """This process's environment."""
    return Environment(
        grader=__version__,
        grader_digest=grader_digest(),
        python=platform.python_version(),
        torch=torch.__version__,
        platform=f"{platform.system()} {platform.machine()}",
        cpu_capability=torch.backends.cpu.get_cpu_capability(),
        threads=torch.get_num_threads(),
    )


@functools.cache
def grader_digest() -> str:
    """SHA-256 over the grader's and the reference's sources: two reports with one digest were made by the same checks."""
    digest = hashlib.sha256()
    for package in ("grader", "reference"):
        for name, file in sorted(_files(resources.files(package), package)):
            digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _files(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        name = f"{prefix}/{entry.name}"
        if entry.is_dir() and entry.name != "__pycache__":
            found += _files(entry, name)
        elif entry.name.endswith((".py", ".toml")):
            found.append((name, entry))
    return found
