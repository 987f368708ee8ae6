"""What a worker's defences keep from student code on this machine, and that honest code does not notice them."""

from __future__ import annotations

import platform
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch
from worker_probe import call, error_of

import reference
from grader.runners.base import Limits
from grader.runners.local import LocalRunner

NORM = """
    import ctypes, mmap, os, resource, socket, subprocess, threading
    import torch
    import torch.nn.functional as F

    def honest():
        x = torch.ones(8, 8, requires_grad=True)
        (x @ x).sum().backward()
        q = torch.ones(1, 2, 3, 4)
        attended = F.scaled_dot_product_attention(q, q, q).sum().item()
        done = []
        thread = threading.Thread(target=done.append, args=(1,))
        thread.start()
        thread.join()
        compiled = torch.compile(lambda y: y * 2)(torch.ones(3)).sum().item()
        torch.set_num_threads(4)
        big = (torch.ones(1000, 1000) @ torch.ones(1000, 1000)).max().item()
        torch.set_num_threads(1)
        return [x.grad.sum().item(), attended, done, compiled, big]

    def fork(): os.fork()
    def run(): subprocess.run(["true"])
    def execute(): os.execv("/bin/true", ["true"])
    def connect(): socket.socket()
    def in_memory_file(): os.memfd_create("x")
    def signal_parent(): os.kill(os.getppid(), 0)
    def signal_all(): os.kill(-1, 0)
    def read(path): return len(open(path).read())
    def listed(path): return len(os.listdir(path))
    def write(path): open(path, "w")
    def change_mode(path): os.chmod(path, 0o777)
    def environment_of_parent(): return open(f"/proc/{os.getppid()}/environ").read()

    def by_number(number, *arguments):
        libc = ctypes.CDLL(None, use_errno=True)
        return [libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)), ctypes.get_errno()]

    def limits():
        names = ("RLIMIT_CORE", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CPU")
        return [resource.getrlimit(getattr(resource, name))[1] for name in names]

    def memory(shared):
        kept = []
        while True:
            if shared:
                kept.append(mmap.mmap(-1, 64 << 20))
                kept[-1].write(b"a" * (64 << 20))
            else:
                kept.append(bytearray(b"a" * (8 << 20)))

    def big_tensor():
        kept = []
        while True:
            kept.append(torch.ones(16 << 20))
"""
FILES = {"assignment1/norm.py": textwrap.dedent(NORM)}
SOLUTION = Path(reference.__file__).parent
EPERM = 1

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these are Linux's")


@pytest.fixture(scope="module", params=[True, False], ids=["fork", "spawn"])
def worker(request):
    runner = LocalRunner(Limits(memory=256 << 20), fork=request.param, sandbox=False)
    worker = runner.start(FILES)
    yield worker
    worker.close()
    runner.close()


@pytest.fixture
def filtered(worker):
    """The same worker, where the kernel can filter calls."""
    if worker.defences["seccomp"] != "on":
        pytest.skip(f"seccomp is {worker.defences['seccomp']}")
    return worker


@pytest.fixture
def confined(worker):
    """The same worker, where the kernel can restrict files."""
    if worker.defences["landlock"] != "on":
        pytest.skip(f"Landlock is {worker.defences['landlock']}")
    return worker


def test_a_worker_says_which_defences_are_on(worker):
    assert set(worker.defences) == {"descriptors", "limits", "landlock", "seccomp"}
    assert worker.defences["descriptors"] == worker.defences["limits"] == "on"


def test_honest_code_notices_nothing(worker):
    assert call(worker, "honest") == [1024.0, 24.0, [1], 6.0, 1000.0]


@pytest.mark.parametrize("name", ["fork", "run", "execute", "connect", "in_memory_file", "signal_parent", "signal_all"])
def test_processes_the_network_and_signals_are_out_of_reach(filtered, name):
    assert error_of(filtered, name)["type"] == "PermissionError"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86-64")
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(101, id="ptrace"),
        pytest.param(165, id="mount"),
        pytest.param(250, id="keyctl"),
        pytest.param(272, id="unshare"),
        pytest.param(298, id="perf_event_open"),
        pytest.param(310, id="process_vm_readv"),
        pytest.param(321, id="bpf"),
        pytest.param(323, id="userfaultfd"),
        pytest.param(425, id="io_uring_setup"),
        pytest.param(434, id="pidfd_open"),
    ],
)
def test_the_kernel_refuses_what_python_has_no_function_for(filtered, number):
    assert call(filtered, "by_number", number, 0, 0, 0, 0, 0) == [-1, EPERM]


@pytest.mark.parametrize("path", [SOLUTION / "ffn.py", Path(__file__), "/etc/shadow", "/etc/hostname"])
def test_files_that_python_does_not_need_cannot_be_read(confined, path):
    assert error_of(confined, "read", str(path))["type"] == "PermissionError"


@pytest.mark.parametrize("path", [SOLUTION, Path.home(), "/tmp", "/"])
def test_folders_that_python_does_not_need_cannot_be_listed(confined, path):
    assert error_of(confined, "listed", str(path))["type"] == "PermissionError"


def test_the_libraries_can_be_read(confined):
    assert call(confined, "read", torch.__file__) > 0
    assert call(confined, "listed", str(Path(textwrap.__file__).parent)) > 0


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "/var/tmp", str(Path(torch.__file__).parent)])
def test_nothing_can_be_written(confined, folder):
    assert error_of(confined, "write", f"{folder}/mark")["type"] == "PermissionError"


def test_modes_of_files_stay_as_they_are(filtered):
    assert error_of(filtered, "change_mode", "/tmp")["type"] == "PermissionError"


def test_the_surroundings_of_other_processes_are_hidden(confined):
    assert error_of(confined, "environment_of_parent")["type"] in ("PermissionError", "FileNotFoundError")


def test_limits_are_set_and_cannot_be_raised(worker):
    assert call(worker, "limits") == [0, 256, 16 << 20, 3600]


@pytest.mark.parametrize(("name", "arguments"), [("memory", (False,)), ("big_tensor", ())])
def test_memory_ends_where_the_limit_says_and_the_worker_lives_on(worker, name, arguments):
    assert error_of(worker, name, *arguments)["kind"] == "memory"
    assert call(worker, "limits")


def test_shared_memory_counts_too(worker):
    assert error_of(worker, "memory", True)["type"] in ("OSError", "MemoryError")


@pytest.mark.parametrize(
    ("damage", "off"),
    [
        ("import platform; platform.machine = lambda: 'riscv64'", {"landlock", "seccomp"}),
        ("import sys; sys.platform = 'darwin'", {"landlock", "seccomp"}),
        ("import sys; sys.modules['resource'] = None", {"limits"}),
        ("import os; os.environ['GRADER_WORKER_WITHOUT'] = 'seccomp'", {"seccomp"}),
    ],
)
def test_a_system_that_lacks_a_defence_says_so_and_has_the_others(damage, off):
    script = f"""
{damage}
import os
from grader.worker.defences import Defences
for name, claim in Defences(os.environ).apply(keep=()).items():
    print(name, claim)
"""

    ended = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    claims = dict(line.split(" ", 1) for line in ended.stdout.splitlines())

    assert {name for name, claim in claims.items() if name in off or claim != "on"} == off
    assert all(claims[name].startswith("off: ") for name in off)
