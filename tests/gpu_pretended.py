"""Local workers that have the GPU of ``fake_accelerator``: real processes, real requests, and no GPU."""

from __future__ import annotations

import sys
from pathlib import Path

import grader
from grader.runners import fork
from grader.runners.base import Files, Limits
from grader.runners.local import LocalRunner
from grader.runners.pipe import PipeWorker

_HERE = Path(__file__).parent
_START = """
import runpy, sys
sys.path += {paths!r}
import fake_accelerator
fake_accelerator.install()
runpy.run_module({module!r}, run_name="__main__", alter_sys=True)
"""


class PretendedGpuRunner(LocalRunner):
    """A LocalRunner with one GPU, and no limit on memory, as with a real one."""

    def __init__(self) -> None:
        super().__init__(Limits(memory=0), sandbox=False)

    def prepare(self) -> None:
        usual = fork.command
        fork.command = _command  # read when the process that forks is started, and never again
        try:
            super().prepare()
        finally:
            fork.command = usual

    def start(self, files: Files) -> PipeWorker:
        self.prepare()
        return super().start(files)


def _command(module: str) -> list[str]:
    code = _START.format(paths=[str(Path(grader.__file__).parents[1]), str(_HERE)], module=module)
    return [sys.executable, "-I", "-X", "utf8", "-c", code]
