"""What a container may do, as one table: every line is a limit, and ``grader doctor`` probes each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.wire.relayed import WORKER_UID


@dataclass(frozen=True)
class ContainerLimits:
    """A course's settings for containers. Sizes in MiB.

    Attributes:
        memory: of all processes together, files in /tmp included; there is no swap on top.
        processes: threads included.
        cpus: how many cores' worth of time.
        scratch: of /tmp, the only place that can be written.
        runtime: an OCI runtime that the engine knows, e.g. ``runsc`` (gVisor); empty: the engine's own.
        image: empty: the one that ``grader image build`` makes.
        gpu_memory: as ``memory``, for a container with a GPU: CUDA alone keeps gigabytes of the host's memory.
    """

    memory: int = 1024
    processes: int = 64
    cpus: float = 1.0
    scratch: int = 32
    runtime: str = ""
    image: str = ""
    gpu_memory: int = 8192


def create_options(
    limits: ContainerLimits, environment: Mapping[str, str] | None = None, *, gpu: str | None = None
) -> dict[str, Any]:
    """Arguments of the SDK's ``containers.create`` that hold a submission back.

    Args:
        environment: added to the few variables that a worker gets.
        gpu: the one GPU that it may use, as the engine names it; None: none.
    """
    memory = limits.memory if gpu is None else limits.gpu_memory
    options: dict[str, Any] = {
        "network_mode": "none",
        "read_only": True,
        "user": f"{WORKER_UID}:{WORKER_UID}",
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "pids_limit": limits.processes,
        "mem_limit": f"{memory}m",
        "memswap_limit": f"{memory}m",  # memory and swap together: no swap
        "nano_cpus": int(limits.cpus * 1e9),
        "tmpfs": {"/tmp": f"rw,noexec,nosuid,nodev,size={limits.scratch}m,nr_inodes=4k,mode=1777"},  # noqa: S108 - its own
        "ulimits": [
            {"Name": "nofile", "Soft": 256, "Hard": 256},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
        "ipc_mode": "none",  # no writable /dev/shm
        "log_config": {"Type": "none", "Config": {}},  # what is printed never reaches the host's disk
        "init": True,  # PID 1 cannot be killed from inside, and its exit code is true
        "hostname": "worker",
        "working_dir": "/tmp",  # noqa: S108 - its own
        "environment": {"HOME": "/tmp", "OMP_NUM_THREADS": "1", **(environment or {})},  # noqa: S108 - its own
        "use_config_proxy": False,  # a proxy in ~/.docker/config.json may hold a password
    }
    if limits.runtime:
        options["runtime"] = limits.runtime
    if gpu is not None:
        options["device_requests"] = [{"device_ids": [gpu], "capabilities": [["gpu", "compute", "utility"]]}]
    return options
