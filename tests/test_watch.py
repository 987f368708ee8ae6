"""``grader check --watch`` as a process: what it does when a file is saved, and how it ends."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
import time

import pytest
from command_line import Checked, environment

from grader.catalogue import all_checks
from grader.cli import watch as command
from grader.errors import UsageError
from grader.report import json_file

WAITING = "Watching "
PATIENCE = 120.0


class Watching:
    """A running ``grader check --watch``, read line by line."""

    def __init__(self, folder, *options, mode=("--watch",)):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader", "check", str(folder), *mode, "--lang", "en", *options],
            env=environment(PYTHONIOENCODING="utf-8"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def until(self, words=WAITING):
        """All lines up to the one that has ``words`` in it."""
        seen, deadline = [], time.monotonic() + PATIENCE
        while not seen or words not in seen[-1]:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            assert line is not None, f"it ended: {''.join(seen)}"
            seen.append(line)
        return "".join(seen)

    def interrupt(self):
        """Ctrl-C; returns the exit code and what was printed since."""
        self._process.send_signal(signal.SIGINT)
        code = self._process.wait(timeout=30)
        return code, "".join(iter(lambda: self._lines.get(timeout=30), None))

    def end(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


@pytest.fixture
def watching(submission_folder):
    """A function: start watching the right submission."""
    running = []

    def start(*options, **more):
        running.append(Watching(submission_folder, *options, **more))
        return running[-1]

    yield start
    for one in running:
        one.end()


def checks_of(text):
    """Ids of the checks that have a line, in order."""
    return [line.split()[2] for line in text.splitlines() if len(line.split()) > 2 and line.split()[2] in all_checks()]


def test_what_changed_and_what_failed_runs_first_and_then_everything(watching, submission_folder, tmp_path):
    rope, norm = (submission_folder / "assignment1" / f"{name}.py" for name in ("rope", "norm"))
    right = rope.read_text("utf-8")
    areas = ("norm", "rope", "ffn")
    options = [word for area in areas for word in ("--only", area)]
    wanted = [check for check in all_checks() if check.split(".")[0] in areas]
    of_rope = [check for check in wanted if check.startswith("rope.")]
    of_norm = [check for check in wanted if check.startswith("norm.")]
    watched = watching(*options, "--json", str(tmp_path / "report.json"))

    first = watched.until()
    assert checks_of(first) == wanted
    assert f"{len(wanted)} of {len(wanted)} checks pass" in first

    rope.write_text(right + "\n\ndef apply_rope(x, positions, base=10000.0):\n    raise OSError('no')\n")
    broken = watched.until()
    assert broken.startswith("Changed: assignment1/rope.py\n")
    assert f"{len(of_rope)} of {len(wanted)} checks first" in broken
    assert [check for check in checks_of(broken) if check in of_rope][: len(of_rope)] == of_rope
    assert not set(checks_of(broken)) & {check for check in wanted if check.startswith("ffn.")}
    assert "apply_rope raised OSError: no" in broken
    passed = len(wanted) - broken.count("\N{BALLOT X}")
    assert f"All checks: {passed} of {len(wanted)} pass." in broken
    report = json_file.from_json((tmp_path / "report.json").read_text("utf-8"))
    assert len(report.checks) == len(wanted)

    failing = [line.split()[2] for line in broken.splitlines() if line.startswith("\N{BALLOT X}")]
    norm.write_text(norm.read_text("utf-8") + "\n# saved\n")
    other = watched.until()
    assert checks_of(other)[: len(of_norm) + len(failing)] == [
        check for check in wanted if check in {*of_norm, *failing}
    ]

    rope.write_text("def (")
    unreadable = watched.until()
    assert "assignment1/rope.py, line 1: invalid syntax" in unreadable

    rope.write_text(right)
    fixed = watched.until()
    assert f"Everything passes: {len(wanted)} of {len(wanted)} checks" in fixed
    assert "Fail now as well" not in fixed
    assert "\x1b" not in first + broken + fixed

    code, rest = watched.interrupt()
    assert code == 0
    assert rest.endswith("Ended.\n")  # a save that was seen half-way gives one more round


def test_what_fails_beyond_the_first_checks_is_named(watching, submission_folder):
    """A dependency that no import statement shows."""
    watched = watching("--only", "rope.base", "--only", "ffn.hidden-dim")
    watched.until()
    (submission_folder / "assignment1" / "ffn.py").write_text(
        "import importlib\n\n\ndef swiglu_hidden_dim(dim, multiple_of=1):\n"
        "    return importlib.import_module('assignment1.rope').width(dim, multiple_of)\n"
    )
    watched.until()
    rope = submission_folder / "assignment1" / "rope.py"
    right = rope.read_text("utf-8") + "\n\ndef width(dim, to):\n    return -(-8 * dim // 3 // to) * to\n"
    rope.write_text(right)
    watched.until()

    rope.write_text(right.replace("return -(-8", "return -(-9"))
    text = watched.until()

    assert "Score 1 of 1 of the selected checks" in text
    assert text.splitlines()[-3:-1] == ["All checks: 1 of 2 pass.", "Fail now as well: ffn.hidden-dim"]


def test_a_submission_that_cannot_be_read_for_a_while_ends_nothing(watching, submission_folder):
    rope = submission_folder / "assignment1" / "rope.py"
    right = rope.read_bytes()
    watched = watching("--only", "rope.base")
    watched.until()

    rope.write_bytes(b"\0")
    assert "Cannot be graded just now: assignment1/rope.py holds a NUL byte" in watched.until()
    rope.write_bytes(right + b"\n# back\n")
    assert "Score 1 of 1" in watched.until()


def test_ctrl_c_ends_it_in_the_middle_of_a_call(watching, submission_folder):
    rope = submission_folder / "assignment1" / "rope.py"
    rope.write_text(
        rope.read_text("utf-8")
        + "\n\nimport sys, time\ndef apply_rope(x, positions, base=10000.0):\n    time.sleep(60)\n"
    )
    watched = watching("--only", "rope.frequencies", "--only", "rope.base")
    watched.until("rope.frequencies")
    time.sleep(0.5)  # into the call that sleeps

    began = time.monotonic()
    code, said = watched.interrupt()

    assert (code, said) == (0, "Ended.\n")
    assert time.monotonic() - began < 9  # and not after the call's limit, 10 s


def test_ctrl_c_during_a_single_run_is_no_grade(watching, submission_folder):
    rope = submission_folder / "assignment1" / "rope.py"
    rope.write_text(rope.read_text("utf-8") + "\n\ndef apply_rope(x, positions, base=1e4):\n    while True: pass\n")
    running = watching("--only", "rope.frequencies", "--only", "rope.base", mode=())
    running.until("rope.frequencies")
    time.sleep(0.5)

    assert running.interrupt() == (3, "not graded: interrupted\n")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"runner": "docker"}, "--watch goes with the local runner, not with docker"),
        ({"fail_under": 60}, "no exit code for --fail-under"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(changes, said, monkeypatch):
    monkeypatch.setattr("command_line.check.run", command.run)

    with pytest.raises(UsageError, match=said):
        Checked(**changes)
