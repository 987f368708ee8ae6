"""Build the worker's image through the SDK, from a context that holds exactly what goes in."""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import grader
from grader.errors import RunnerUnavailable, UsageError
from grader.runners.docker import image
from grader.runners.docker.engine import Client, trouble

BUILD_TIMEOUT = 1800.0
"""Seconds without a word from the engine; pip installs torch in silence."""

_PACKAGE = Path(grader.__file__).parent
_RECIPE = ("Dockerfile", "constraints.txt")


@dataclass(frozen=True)
class BuildRequest:
    """Where the parts come from; empty: what the Dockerfile says.

    Attributes:
        wheels: a folder of wheels (torch, numpy and what they need); the build then fetches nothing.
        network: the build's network, e.g. ``host`` where only the host can reach the index.
    """

    base: str = ""
    wheels: Path | None = None
    torch_index: str = ""
    pypi_index: str = ""
    network: str = ""

    def arguments(self) -> dict[str, str]:
        """The Dockerfile's build arguments."""
        given = {"BASE": self.base, "TORCH_INDEX": self.torch_index, "PYPI_INDEX": self.pypi_index}
        return {name: value for name, value in given.items() if value}


def build(client: Client, request: BuildRequest, on_line: Callable[[str], None]) -> str:
    """Build the image; returns its name. ``client`` needs a timeout of BUILD_TIMEOUT.

    Raises:
        UsageError: no wheels where they should be.
        RunnerUnavailable: the build failed; the message ends with its last words.
    """
    name, last = image.default_name(), ""
    with tempfile.TemporaryFile() as context, trouble("the image was not built"):
        write_context(context, request.wheels)
        context.seek(0)
        steps = client.api.build(
            fileobj=context,
            custom_context=True,
            target="worker",
            tag=name,
            labels={image.DIGEST_LABEL: image.worker_digest()},
            buildargs=request.arguments(),
            network_mode="none" if request.wheels else request.network or None,
            rm=True,
            forcerm=True,
            decode=True,
        )
        for step in steps:
            if "error" in step:
                raise RunnerUnavailable(f"the image was not built: {step['error'].strip()} {last}".strip())
            said = str(step.get("stream", "")).strip()
            if said:
                last = said
                on_line(said)
    return name


def write_context(target: IO[bytes], wheels: Path | None) -> None:
    """Write the build context as a tar archive: the recipe, the worker's files, and wheels. Raises UsageError."""
    found = sorted(wheels.glob("*.whl")) if wheels is not None else []
    if wheels is not None and not found:
        raise UsageError(f"no wheels in {wheels}; `pip download torch numpy -d FOLDER` puts them there")
    with tarfile.open(fileobj=target, mode="w") as archive:
        for path, content in {**_recipe(), **image.worker_files()}.items():
            archive.addfile(_entry(path, len(content)), io.BytesIO(content))
        for wheel in found:
            with wheel.open("rb") as file:
                archive.addfile(_entry(f"wheels/{wheel.name}", wheel.stat().st_size), file)


def _entry(path: str, size: int) -> tarfile.TarInfo:
    """A member without owner and time of this machine, so that the engine's cache sees what is the same."""
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode = size, 0o644
    return entry


def _recipe() -> dict[str, bytes]:
    """Dockerfile and constraints: at the top of a clone, or beside this module in an installed copy."""
    for folder in (_PACKAGE.parent, Path(__file__).parent / "recipe"):
        if all((folder / name).is_file() for name in _RECIPE):
            return {name: (folder / name).read_bytes() for name in _RECIPE}
    raise UsageError("this copy of the grader has no Dockerfile to build from; use a clone of its repository")
