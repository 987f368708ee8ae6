"""The container engine of this machine, for the tests that need one: a skip with a reason where there is none."""

from __future__ import annotations

import functools
import os
import time

import pytest
from worker_probe import has_ended

from grader.errors import GraderError, UsageError
from grader.runners.docker import engine, image, sweep


def needed() -> engine.Client:
    """A client of the engine, or a skip. Where GRADER_REQUIRE_DOCKER is set, as in CI, a failure in place of a skip."""
    client, reason = _connected()
    if reason:
        (pytest.fail if os.environ.get("GRADER_REQUIRE_DOCKER") else pytest.skip)(reason)
    return client


@functools.cache
def _connected() -> tuple[engine.Client, str]:
    try:
        client = engine.connect()
        image.find(client)
    except (GraderError, UsageError) as error:
        return None, str(error)
    return client, ""


def containers(client: engine.Client) -> set[str]:
    """Ids of this process's containers, in whatever state they are."""
    mine = sweep.labels(lifetime=0)
    wanted = [f"{name}={value}" for name, value in mine.items() if not name.endswith("expires")]
    return {container["Id"] for container in client.api.containers(all=True, filters={"label": wanted})}


class HostProcesses:
    """Processes of a worker that this machine's process ids name."""

    def kill(self, pid: int, number: int = 9) -> None:
        os.kill(pid, number)

    def have_ended(self, *pids: int) -> bool:
        return all(has_ended(pid) for pid in pids)


class ContainerProcesses:
    """Processes of a worker whose ids count in its container."""

    def __init__(self, client: engine.Client) -> None:
        self._client = client

    def kill(self, pid: int, number: int = 9) -> None:
        self._shell(f"kill -{number} {pid}")

    def have_ended(self, *pids: int, within: float = 3.0) -> bool:
        deadline = time.monotonic() + within
        alive = " || ".join(f"grep -q '^State:[[:space:]]*[^ZX]' /proc/{pid}/status 2>/dev/null" for pid in pids)
        while 0 in self._shell(alive):
            if time.monotonic() > deadline:
                return False
        return True

    def _shell(self, command: str) -> list[int]:
        """Run a command in all containers of this process; its exit codes. Those that are ending have no say."""
        import docker.errors

        codes = []
        for container in containers(self._client):
            try:
                codes.append(self._client.containers.get(container).exec_run(["sh", "-c", command]).exit_code)
            except docker.errors.APIError:
                continue
        return codes
