"""The engine's API, with one kind of error: whatever goes wrong here is never the submission's doing."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grader.errors import RunnerUnavailable, UsageError

API_TIMEOUT = 30.0
"""Seconds for one request to the engine; removing a container is the slowest."""

LABEL = "assignment1-grader"
"""Prefix of all labels on containers and images of ours."""

Client = Any  # the SDK has no types


def require_sdk() -> None:
    """Raise UsageError when the SDK is not installed; nothing is imported."""
    if importlib.util.find_spec("docker") is None:
        raise UsageError("the docker runner needs the Docker SDK: pip install 'assignment1-grader[docker]'")


def connect(host: str | None = None, *, timeout: float = API_TIMEOUT) -> Client:
    """Return a client of the engine that ``host``, ``DOCKER_HOST`` or the default socket names.

    Raises:
        UsageError: the SDK is not installed.
        RunnerUnavailable: no engine answers.
    """
    require_sdk()
    import docker

    with trouble("no container engine answers"):
        if host is not None:
            client = docker.DockerClient(base_url=host, timeout=timeout)
        else:
            client = docker.from_env(timeout=timeout)
        try:
            client.ping()
        except BaseException:
            client.close()
            raise
    return client


@contextmanager
def trouble(what: str) -> Iterator[None]:
    """Turn every error of the SDK into RunnerUnavailable that begins with ``what``."""
    import docker.errors
    import requests.exceptions

    try:
        yield
    except docker.errors.APIError as error:
        raise RunnerUnavailable(f"{what}: {error.explanation or error}") from None
    except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as error:
        raise RunnerUnavailable(f"{what}: {_short(error)}") from None


def _short(error: Exception) -> str:
    """The innermost reason: the SDK wraps a missing socket four times."""
    innermost: BaseException = error
    while innermost.__context__ is not None:
        innermost = innermost.__context__
    return str(innermost) or type(error).__name__
