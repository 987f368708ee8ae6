"""``grader image build``: the image that ``grader check --runner docker`` runs student code in."""

from __future__ import annotations

import time

from rich.console import Console
from rich.text import Text

from grader.runners.docker import engine
from grader.runners.docker.build import BUILD_TIMEOUT, BuildRequest, build


def run(request: BuildRequest, console: Console) -> int:
    """Build and say what was made; returns the exit code."""
    began = time.monotonic()
    client = engine.connect(timeout=BUILD_TIMEOUT)
    try:
        name = build(client, request, on_line=lambda line: console.print(Text(line, style="dim")))
    finally:
        client.close()
    console.print(Text(f"built {name} in {time.monotonic() - began:.0f} s"))
    return 0
