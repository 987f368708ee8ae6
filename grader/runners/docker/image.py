"""Which image holds this grader's worker: it carries a digest of the worker's files, so that a stale one is noticed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import grader
from grader.errors import RunnerUnavailable
from grader.runners.docker.engine import LABEL, Client, trouble

REPOSITORY = "assignment1-worker"
DIGEST_LABEL = f"{LABEL}.worker"
_PACKAGE = Path(grader.__file__).parent
_BUILD = "run `grader image build`"


def worker_files() -> dict[str, bytes]:
    """Everything of the grader that an image holds, by its path in the image."""
    paths = [_PACKAGE / "__init__.py", *(_PACKAGE / "wire").rglob("*.py"), *(_PACKAGE / "worker").rglob("*.py")]
    return {path.relative_to(_PACKAGE.parent).as_posix(): path.read_bytes() for path in sorted(paths)}


def worker_digest() -> str:
    """SHA-256 over ``worker_files``, in hexadecimal."""
    digest = hashlib.sha256()
    for path, content in worker_files().items():
        digest.update(f"{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def default_name() -> str:
    """The name under which ``grader image build`` stores the image."""
    return f"{REPOSITORY}:{worker_digest()[:16]}"


def find(client: Client, given: str = "") -> str:
    """Return the id of the image to run.

    Args:
        given: an image's name; empty: ``default_name()``.

    Raises:
        RunnerUnavailable: it is not there, or holds another version of the worker.
    """
    import docker.errors

    name = given or default_name()
    with trouble("the engine did not look for the worker's image"):
        try:
            image = client.images.get(name)
        except docker.errors.ImageNotFound:
            stale = not given and client.images.list(name=REPOSITORY)
            reason = "the worker's image is of another version of the grader" if stale else f"there is no image {name}"
            raise RunnerUnavailable(f"{reason}: {_BUILD}") from None
    if (image.labels or {}).get(DIGEST_LABEL) != worker_digest():
        raise RunnerUnavailable(f"the image {name} does not hold this version of the worker: {_BUILD}")
    return str(image.id)
