"""From facts to a verdict on every limit: what it should be, what was found, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.runners.docker.options import ContainerLimits
from grader.wire.relayed import WORKER_UID

Facts = dict[str, Any]

_NOTHING = "0000000000000000"
_ALLOWED_ENVIRONMENT = {"HOME", "HOSTNAME", "OMP_NUM_THREADS", "PATH", "LANG", "LC_CTYPE"}
_BASE_IMAGE_ENVIRONMENT = ("PYTHON_", "GPG_KEY", "SETUPTOOLS_")  # what stock python images set: versions, no secrets


@dataclass(frozen=True)
class Finding:
    """One row: a limit or a part of this machine.

    Attributes:
        holds: None where there is no right or wrong.
    """

    name: str
    wanted: str
    found: str
    holds: bool | None = None


def judge(facts: Facts, limits: ContainerLimits) -> list[Finding]:
    """Hold what ``inside.py`` found against what a container should be."""
    foreign = [
        name
        for name in facts["environment"]
        if name not in _ALLOWED_ENVIRONMENT and not name.startswith(_BASE_IMAGE_ENVIRONMENT)
    ]
    writable, hidden = facts["writable"], facts["of_the_verifier"]
    return [
        Finding("network", "lo alone", ", ".join(facts["interfaces"]), facts["interfaces"] == ["lo"]),
        Finding("read-only", "only /tmp", ", ".join([*writable, "/tmp"]), not writable),  # noqa: S108 - the container's own
        Finding(
            "user",
            f"uid {WORKER_UID}, no other group",
            f"uid {facts['uid']}, groups {facts['groups']}",
            facts["uid"] == WORKER_UID and facts["groups"] == [WORKER_UID],
        ),
        Finding("capabilities", "none", " ".join(facts["capabilities"]), facts["capabilities"] == [_NOTHING]),
        Finding("no new privileges", "1", str(facts["no_new_privileges"]), facts["no_new_privileges"] == 1),
        Finding("seccomp", "mode 2 (filter)", f"mode {facts['seccomp_mode']}", facts["seccomp_mode"] == 2),
        Finding(
            "processes",
            str(limits.processes),
            "more than tried" if facts["processes"] < 0 else str(facts["processes"]),
            0 < facts["processes"] <= limits.processes,
        ),
        Finding(
            "memory",
            f"killed above {limits.memory} MiB",
            "killed" if facts["memory_ends_it"] else "not killed",
            bool(facts["memory_ends_it"]),
        ),
        Finding("cpu", f"{limits.cpus:g}", f"{facts['cpus']:g}", facts["cpus"] <= limits.cpus * 1.25),
        Finding(
            "scratch",
            f"at most {limits.scratch} MiB",
            f"{facts['scratch_mib']} MiB",
            facts["scratch_mib"] <= limits.scratch,
        ),
        Finding(
            "no programs in /tmp",
            "refused",
            "run" if facts["executes_in_tmp"] else "refused",
            not facts["executes_in_tmp"],
        ),
        Finding("descriptors", "256", str(facts["descriptors"]), facts["descriptors"] == 256),
        Finding("core files", "0 bytes", f"{facts['core_bytes']} bytes", facts["core_bytes"] == 0),
        Finding("init", "PID 1 is the engine's", facts["init"], facts["init"] in ("docker-init", "tini", "catatonit")),
        Finding(
            "user namespaces",
            "refused",
            "made" if facts["new_user_namespace"] else "refused",
            not facts["new_user_namespace"],
        ),
        Finding("environment", "nothing of the host", ", ".join(foreign) or "nothing", not foreign),
        Finding("files of the grader", "the worker's alone", ", ".join(hidden) or "the worker's alone", not hidden),
        Finding("io_uring", "", "reachable" if facts["io_uring"] else "refused"),
        Finding("torch in the image", "", facts["torch"] or "none", bool(facts["torch"])),
    ]
