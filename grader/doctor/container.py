"""Run the probes in a container that is made exactly as a submission's is."""

from __future__ import annotations

import json
import socket
from importlib import resources
from typing import Any

from grader.doctor.limits import Facts
from grader.errors import RunnerUnavailable
from grader.runners.docker import sweep
from grader.runners.docker.attach import Attachment
from grader.runners.docker.container import PYTHON
from grader.runners.docker.engine import Client, trouble
from grader.runners.docker.options import ContainerLimits
from grader.runners.docker.streams import EngineDecoder

_LIFETIME = 120.0
_LONGEST_ANSWER = 1 << 20


def probe(client: Client, image: str, options: dict[str, Any], limits: ContainerLimits) -> Facts:
    """Return what ``inside.py`` finds. No student code runs in that container.

    Args:
        options: see ``options.create_options``; tests leave one out and see a limit fall.

    Raises:
        RunnerUnavailable: the engine did not run it, or it took too long.
    """
    source = resources.files("grader.doctor").joinpath("inside.py").read_text("utf-8")
    command = [PYTHON, "-I", "-B", "-c", source, str(limits.memory), str(limits.scratch)]
    with trouble("the probes did not run"):
        container = client.containers.create(
            image, command, labels=sweep.labels(lifetime=_LIFETIME), detach=False, **options
        )
        try:
            attached = Attachment(container, tick=_LIFETIME)
            try:
                container.start()
                text = _read_to_end(attached.socket)
            finally:
                attached.shut()
                attached.close()
        finally:
            container.remove(force=True, v=True)
    try:
        facts: Facts = json.loads(text.splitlines()[-1])
    except (IndexError, ValueError):
        said_last = text.decode("utf-8", "replace").strip()[-500:]
        raise RunnerUnavailable(f"the probes broke off: {said_last or 'they said nothing'}") from None
    return facts


def _read_to_end(source: socket.socket) -> bytes:
    """What the container prints until it ends, its last words if that is long. Raises TimeoutError."""
    decoder, text = EngineDecoder(), bytearray()
    while data := source.recv(1 << 16):
        for _, piece in decoder.feed(data):
            text += piece
        del text[:-_LONGEST_ANSWER]
    return bytes(text)
