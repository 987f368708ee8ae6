"""Runs snippets in plain Python, each in a process of its own that knows nothing of the grader."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.report.example import CounterExample

# torch is imported once and each snippet runs in a fork: what a submission remembers dies with its process
_FORKS = """
import json, os, sys, tempfile, traceback, warnings
import torch
torch.set_num_threads(1)
found = []
for folder, snippet in json.load(sys.stdin):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1); os.dup2(err.fileno(), 2)
            os.chdir(folder); sys.path.insert(0, folder)
            code = 0
            try:
                exec(compile(snippet, "snippet", "exec"), {"__name__": "__main__"})
            except BaseException:  # as Python itself at the end of a script: shown, then exit code 1
                traceback.print_exc()
                code = 1
            sys.stdout.flush(); sys.stderr.flush()
            os._exit(code)
        status = os.waitpid(child, 0)[1]
        out.seek(0); err.seek(0)
        found.append([os.waitstatus_to_exitcode(status), out.read().decode(), err.read().decode()])
json.dump(found, sys.stdout)
"""
_NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|nan|inf)")


@dataclass(frozen=True)
class Ran:
    """What came of a snippet: its last line, or the exception."""

    code: int
    printed: str
    raised: str


def run_all(jobs: list[tuple[Path, str]]) -> list[Ran]:
    """Run each snippet in its folder."""
    program = subprocess.run(
        [sys.executable, "-c", _FORKS],
        input=json.dumps([[str(folder), snippet] for folder, snippet in jobs]),
        capture_output=True,
        text=True,
        check=True,
    )
    return [_ran(*one) for one in json.loads(program.stdout)]


def run_alone(folder: Path, snippet: str) -> Ran:
    """Run one as a student would: ``python snippet.py`` in the submission's folder."""
    path = folder / "snippet.py"
    path.write_text(snippet, "utf-8")
    done = subprocess.run([sys.executable, path.name], cwd=folder, capture_output=True, text=True, check=False)
    return _ran(done.returncode, done.stdout, done.stderr)


def write(folder: Path, files: dict[str, str]) -> Path:
    """A submission on disk."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def is_as_claimed(example: CounterExample, ran: Ran) -> bool:
    """Whether the submission did what the example says of it."""
    if ran.code:
        return ran.raised.split(":")[0].split(".")[-1] == example.given.split(":")[0].split(".")[-1]
    return _same(ran.printed, example.given)


def is_right(example: CounterExample, ran: Ran) -> bool:
    """Whether a right program did what the example says of one."""
    if example.right == "ValueError":
        return ran.code == 1 and ran.raised.startswith("ValueError")
    if ran.code:
        return False
    if ".." in example.right:
        low, high = map(int, example.right.split(".."))
        return low <= int(ran.printed) <= high
    return _same(ran.printed, example.right, example.snippet)


def _same(printed: str, claimed: str, snippet: str = "") -> bool:
    """Equal text, or numbers that are equal but for the last digit that is shown, and bf16's last bit where it is."""
    if printed == claimed:
        return True
    one, other = _NUMBER.findall(printed), _NUMBER.findall(claimed)
    if len(one) != len(other) or _NUMBER.sub("#", printed) != _NUMBER.sub("#", claimed):
        return False
    relative = 2.0**-7 if "bfloat16" in snippet else 1e-6
    return all(_close(left, right, relative) for left, right in zip(one, other, strict=True))


def _close(left: str, right: str, relative: float) -> bool:
    decimals = max(len(text.partition(".")[2]) for text in (left, right))
    one, other = float(left), float(right)
    if one != one or other != other:
        return one != one and other != other
    return abs(one - other) <= 1.1 * 10.0**-decimals + relative * abs(other)


def _ran(code: int, out: str, err: str) -> Ran:
    lines = [line for line in err.strip().splitlines() if line[:1] not in (" ", "")]
    return Ran(code, (out.strip().splitlines() or [""])[-1], lines[-1] if lines else "")
