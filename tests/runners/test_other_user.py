"""Where root runs the grader, in a CI service's container, the worker is another user."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest
from worker_probe import call, has_ended, loss_in

from grader.cli import check
from grader.errors import Outcome
from grader.feedback import messages
from grader.runners.base import Limits
from grader.runners.local import LocalRunner
from grader.wire.relayed import WORKER_UID

NORM = """
    import os

    def identity():
        return [os.getuid(), os.geteuid(), os.getgid(), *os.getgroups()]

    def read(path):
        with open(path) as file:
            return file.read()

    def signal_grader(pid):
        os.kill(pid, 9)

    def process():
        return os.getpid()

    def hang():
        while True:
            pass
"""
FILES = {"assignment1/norm.py": textwrap.dedent(NORM)}


def _can_start_python_as_another_user() -> bool:
    if sys.platform == "win32" or os.geteuid() != 0:
        return False
    command = [sys.executable, "-I", "-c", "import torch"]
    try:
        return subprocess.run(command, user=WORKER_UID, capture_output=True, check=False).returncode == 0
    except PermissionError:
        return False


@pytest.fixture(params=[False, True], ids=["spawn", "fork"])
def worker(request):
    if not _can_start_python_as_another_user():
        pytest.skip("only root changes users, and Python must be readable by others")
    runner = LocalRunner(Limits(), fork=request.param, user=WORKER_UID)
    worker = runner.start(FILES)
    yield worker
    worker.close()
    runner.close()


def test_the_worker_has_the_other_user_s_rights_and_groups_and_no_more(worker):
    assert call(worker, "identity") == [WORKER_UID] * 3


def test_the_worker_cannot_read_what_is_roots_alone(worker, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the solution")
    secret.chmod(0o600)

    with pytest.raises(AssertionError, match="PermissionError"):
        call(worker, "read", str(secret))


def test_the_worker_cannot_end_the_grader(worker):
    with pytest.raises(AssertionError, match="PermissionError"):
        call(worker, "signal_grader", os.getpid())


def test_root_can_still_end_it(worker):
    pid = call(worker, "process")

    assert loss_in(worker, "hang", seconds=0.5).outcome is Outcome.TIMEOUT
    assert has_ended(pid)


def test_the_report_says_which_of_the_two_it_was():
    for user, told in ((None, "your own rights"), (WORKER_UID, "another user")):
        runner = LocalRunner(user=user, sandbox=False)

        assert runner.trusted is False
        assert told in messages.render(f"isolation.{runner.isolation}", {}, "en")
        runner.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such users")
@pytest.mark.parametrize(("euid", "known", "wanted"), [(0, True, WORKER_UID), (0, False, None), (1000, True, None)])
def test_only_root_and_only_where_the_user_exists_gives_workers_another_user(euid, known, wanted, monkeypatch):
    import pwd

    def find(name: str) -> pwd.struct_passwd:
        if not known:
            raise KeyError(name)
        return pwd.struct_passwd((name, "x", WORKER_UID, WORKER_UID, "", "/tmp", "/bin/false"))

    monkeypatch.setattr("os.geteuid", lambda: euid)
    monkeypatch.setattr("pwd.getpwnam", find)

    assert check._user_for_workers() == wanted
