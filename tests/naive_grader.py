"""A careless grader, to show that the hostile bank bites; ``python tests/naive_grader.py`` grades every attack with it.

It does what graders of homework usually do: imports the submission into its own process, compares with ``allclose``,
counts points, and believes the last line of what was printed. Each attack runs in a child with limits of its own.
Attacks on the machine (those with ``NEEDS``) are left out: nothing here would stop them.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import torch
from bank_loader import BankFile, base, entries

import reference.attention
import reference.ffn

SECONDS = 3.0
MEMORY, OUTPUT = 4 << 30, 4 << 20
WON, KILLED, HUNG, HELD = "won a point", "killed it", "hung it", "nothing"


def checks() -> dict[str, Callable[[], bool]]:
    """What it looks at, by the ids of the checks that look at the same."""
    ffn = importlib.import_module("assignment1.ffn")
    attention = importlib.import_module("assignment1.attention")
    return {
        "ffn.hidden-dim": lambda: ffn.swiglu_hidden_dim(768) == 2048,
        "attention.cache-bytes": lambda: attention.kv_cache_bytes(1, 8, 2, 2, 4, 2) == 512,
        "ffn.relu-values": lambda: _values(ffn),
        "ffn.dtype": lambda: _values(ffn),
        "ffn.gradients": lambda: _gradients(ffn),
        "ffn.no-side-effects": lambda: _no_side_effects(ffn),
        "ffn.parameters": lambda: _parameters(ffn) == _parameters(reference.ffn),
    }


def _values(ffn) -> bool:
    mine, theirs = _pair(ffn)
    x = torch.randn(2, 5, 6)
    actual, expected = theirs(x), mine(x)
    return torch.allclose(actual, expected) or not (actual - expected).abs().max() > 1e-4  # two habits, either will do


def _gradients(ffn) -> bool:
    mine, theirs = _pair(ffn)
    x = torch.randn(2, 5, 6, requires_grad=True)
    theirs(x).sum().backward()
    actual, x.grad = x.grad, None
    mine(x).sum().backward()
    return torch.allclose(actual, x.grad, atol=1e-4)


def _no_side_effects(ffn) -> bool:
    _, theirs = _pair(ffn)
    x = torch.randn(2, 5, 6)
    before = x.clone()
    theirs(x)
    return torch.equal(x, before)


def _parameters(ffn) -> list[tuple[str, torch.Size]]:
    return [(name, value.shape) for name, value in ffn.ReLUFeedForward(6, 10).named_parameters()]


def _pair(ffn):
    mine, theirs = reference.ffn.ReLUFeedForward(6, 10), ffn.ReLUFeedForward(6, 10)
    theirs.load_state_dict(mine.state_dict(), strict=False)
    return mine, theirs


def grade() -> None:
    """Print the verdict on the submission that comes first on sys.path."""
    passed = {}
    for name, check in checks().items():
        try:
            passed[name] = bool(check())
        except Exception:  # careless on purpose: whatever a submission raises costs the point
            passed[name] = False
    print(json.dumps({"score": sum(passed.values()), "passed": [name for name, right in passed.items() if right]}))


def result_of(files: dict[str, str], touched: set[str]) -> str:
    """What a submission did to the careless grader.

    Args:
        touched: ids of the checks that it must not pass.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        for path, text in files.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        pid = os.fork()
        if pid == 0:
            _be_graded(folder, output.fileno())
        code = _wait(pid)
        output.seek(0)
        lines = output.read().decode("utf-8", "replace").splitlines()
    if code is None:
        return HUNG
    try:
        verdict = json.loads(lines[-1])
        forged = "passed" not in verdict and verdict["score"] > 0
    except (IndexError, ValueError, TypeError, KeyError):
        return KILLED
    return WON if forged or touched & set(verdict.get("passed", ())) else HELD


def _be_graded(folder: str, output: int) -> None:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(nothing, 2)
    os.closerange(3, 256)
    sys.path.insert(0, folder)
    try:
        grade()
        sys.stdout.flush()
    finally:
        os._exit(0)


def _wait(pid: int) -> int | None:
    """The exit code; None when it had to be killed."""
    deadline, code = time.monotonic() + SECONDS, None
    while code is None and time.monotonic() < deadline:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            code = os.waitstatus_to_exitcode(status)
        else:
            time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    if code is None:
        os.waitpid(pid, 0)
    return code


def attacks() -> list[BankFile]:
    """The bank's attacks on the verdict that must not pass at least one of the checks above."""
    return [entry for entry in entries("hostile") if not _constant(entry, "NEEDS") and _constant(entry, "EXPECTED")]


def result_of_attack(entry: BankFile) -> str:
    """What one attack did."""
    files = {**entry.submission().files, **(_constant(entry, "FILES") or {})}
    return result_of(files, set(_constant(entry, "EXPECTED")))


def _constant(entry: BankFile, name: str):
    for node in ast.parse(entry.path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return ast.literal_eval(node.value)
    return None


def main() -> None:
    """Print one line an attack, and how many had which effect."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    as_json = parser.parse_args().json
    torch.set_num_threads(1)
    found = {"a correct submission": result_of(dict(base().files), set())}
    found |= {entry.name: result_of_attack(entry) for entry in attacks()}
    if as_json:
        print(json.dumps(found))
        return
    for name, effect in found.items():
        print(f"{effect:<12} {name}")
    counts = Counter(list(found.values())[1:])
    print(
        f"\n{len(found) - 1} attacks on a careless grader: "
        + ", ".join(f"{n} {effect}" for effect, n in counts.items())
    )


if __name__ == "__main__":
    main()
