"""A worker's interpreter finds what the grader's own has found, wherever it was installed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest
from worker_probe import error_of

from grader.runners.launch import command
from grader.runners.local import LocalRunner

_on_linux = pytest.mark.skipif(sys.platform != "linux", reason="forks only where that is safe")
ROOT = Path(__file__).parents[2]


def test_the_current_folder_and_the_environment_lend_no_modules(tmp_path):
    for name in ("torch", "struct", "grader"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('shadowed')")

    ended = subprocess.run(
        command("grader.worker.__main__"),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    assert b"shadowed" not in ended.stderr


def test_a_worker_starts_where_everything_was_installed_for_one_user(tmp_path):
    # as pip install --user leaves it: an interpreter that knows none of it, and a folder that -I leaves out
    packages = sysconfig.get_paths()["purelib"]
    script = f"""
        import sys
        sys.path += [{str(ROOT)!r}, {packages!r}]
        from grader.runners.local import LocalRunner
        worker = LocalRunner(fork={{fork}}, sandbox=False).start({{{{"assignment1/norm.py": "def f(): return 7"}}}})
        request = dict(op="call", check="", target="assignment1.norm:f", arguments={{{{}}}}, positional=0)
        print(worker.ask(request, seconds=30)["value"])
        worker.close()
    """
    for fork in (True, False) if sys.platform == "linux" else (False,):
        bare = [sys._base_executable, "-I", "-S", "-c", textwrap.dedent(script).format(fork=fork)]

        ended = subprocess.run(bare, cwd=tmp_path, capture_output=True, text=True, check=False)

        assert ended.stdout == "7\n", ended.stderr


@pytest.mark.parametrize("fork", [False, pytest.param(True, marks=_on_linux)])
def test_a_traceback_quotes_the_text_that_was_sent_and_no_file_of_the_current_folder(fork, tmp_path, monkeypatch):
    (tmp_path / "assignment1").mkdir()
    (tmp_path / "assignment1" / "norm.py").write_text("# another\n# text\n")
    monkeypatch.chdir(tmp_path)
    runner = LocalRunner(fork=fork, sandbox=False)
    worker = runner.start({"assignment1/norm.py": "def f():\n    return 1 / 0\n"})

    error = error_of(worker, "f")
    worker.close()
    runner.close()

    assert error["frames"][-1]["text"] == "return 1 / 0"
