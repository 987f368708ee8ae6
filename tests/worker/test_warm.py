"""What is done before a fork leaves nothing that a fork would break, and nothing that a submission could notice."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOOK = """
import os, torch
before = torch.get_rng_state()
from grader.worker.warm import warm_up
warm_up()
print(len(os.listdir("/proc/self/task")), torch.equal(before, torch.get_rng_state()), torch.cuda.is_initialized())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_no_thread_no_chance_no_gpu(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    result = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True, timeout=120)

    assert result.stdout.split() == ["1", "True", "False"]
