"""The engine and the worker's image."""

from __future__ import annotations

from typing import Any

from grader.doctor.container import probe
from grader.doctor.limits import Finding, judge
from grader.errors import RunnerUnavailable, UsageError
from grader.runners.docker import image
from grader.runners.docker.engine import Client, connect
from grader.runners.docker.options import ContainerLimits, create_options


def findings(limits: ContainerLimits) -> tuple[list[Finding], list[Finding]]:
    """What is there, and how the limits of a container hold (empty: no container could be started)."""
    try:
        client = connect()
    except (RunnerUnavailable, UsageError) as error:
        return [Finding("engine", "answers", str(error))], []
    try:
        return _of(client, limits)
    finally:
        client.close()


def _of(client: Client, limits: ContainerLimits) -> tuple[list[Finding], list[Finding]]:
    there = [Finding("engine", "answers", _engine(client.version(), client.info()), True)]
    try:
        found = image.find(client, limits.image)
        there.append(Finding("image", "of this version", limits.image or image.default_name(), True))
        return there, judge(probe(client, found, create_options(limits), limits), limits)
    except RunnerUnavailable as error:
        return [*there, Finding("image", "of this version", str(error), False)], []


def _engine(version: dict[str, Any], info: dict[str, Any]) -> str:
    runtimes = ", ".join(sorted(info.get("Runtimes") or {}))
    return (
        f"{version.get('Version')} (API {version.get('ApiVersion')}), cgroup {info.get('CgroupVersion', '?')},"
        f" {info.get('Driver')}, runtimes: {runtimes}"
    )
