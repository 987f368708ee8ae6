"""The engine's API, with one kind of error: whatever goes wrong here is never the submission's doing."""

from __future__ import annotations

import importlib.util
import socket
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
    import docker.utils

    settings = docker.utils.kwargs_from_env() if host is None else {"base_url": host}
    with trouble("no container engine answers"):
        scheme, _, path = docker.utils.parse_host(settings.get("base_url")).partition("://")
        _reach(path if scheme == "http+unix" else None)
        return docker.DockerClient(timeout=timeout, **settings)  # asks for the version


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


def still_answers(client: Client) -> bool:
    """Whether the engine is still there: where it is not, no end of a container is a submission's doing."""
    try:
        with trouble("the engine is gone"):
            _reach(getattr(client.api.get_adapter(client.api.base_url), "socket_path", None))
            client.ping()
    except RunnerUnavailable:
        return False
    return True


def _reach(path: str | None) -> None:
    """Raise OSError where nobody listens on a local socket: the SDK's own attempt would leave a descriptor open."""
    if path is not None:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(API_TIMEOUT)
            probe.connect(path)


def _short(error: Exception) -> str:
    """The innermost reason: the SDK wraps a missing socket four times."""
    innermost: BaseException = error
    while innermost.__context__ is not None:
        innermost = innermost.__context__
    return str(innermost) or type(error).__name__
