"""The script that measures on a GPU: what it says where there is none, and that it runs on a pretended one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gpu_here
import pytest

ROOT = Path(__file__).parents[2]


def test_without_a_gpu_it_says_so_and_ends_with_three():
    if gpu_here.missing() is None:
        pytest.skip("there is a GPU here")

    for command in (["benchmarks/gpu.sh", sys.executable], [sys.executable, "benchmarks/gpu.py"]):
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)

        assert ended.returncode == 3
        assert ended.stdout.startswith("no GPU here: ")


@pytest.mark.skipif(sys.platform != "linux", reason="forks workers, which is safe on Linux only")
def test_on_a_pretended_gpu_it_tells_right_from_wrong():
    command = [sys.executable, "benchmarks/gpu.py", "--pretend", "--jobs", "1", "--only", "cpu_round_trip"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)

    assert ended.returncode == 0, ended.stderr
    assert "mistakes, device             1              1    0           0" in ended.stdout
