"""Every defence is needed: without it, at least one attack of the bank no longer ends as it must."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest
from bank_loader import BANK, BankFile
from changed_worker import Change, runner_with
from worker_probe import LEAVES_A_DAEMON, call, has_ended

from grader.intake.submission import SubmissionFiles
from grader.numerics.answer import Answer
from grader.run_state import RunState
from grader.session import grade
from grader.student.calls import Calls
from grader.text import clean

pytestmark = [
    pytest.mark.bank,
    pytest.mark.skipif(sys.platform != "linux", reason="some of the defences are Linux's"),
]


@dataclass(frozen=True)
class Defence:
    """One defence, how to switch it off, and an attack that then does something else.

    Attributes:
        changes: to a copy of the worker's code.
        without: defences of the worker to leave off; what stands before the one in question goes too.
        patches: to the verifier, by dotted name.
        checks: which checks to run; empty: those that the attack touches.
    """

    name: str
    attack: str
    changes: list[Change] = field(default_factory=list)
    without: str = ""
    patches: dict[str, Any] = field(default_factory=dict)
    checks: tuple[str, ...] = ()


ENCODERS_COUNT = """\
        if depth > MAX_DEPTH or self._items > MAX_ITEMS:
            raise ProtocolError("too many values")
        if value is None:
            self.out"""
HIDDEN_DIM, GRADIENTS = "ffn.hidden-dim", "ffn.gradients"


def claimed(calls: Calls) -> list[str]:
    """What the worker says about mutation, believed."""
    value = calls._line._transcript.exchanges[-1].answer["facts"].get("mutated")
    return [str(name) for name in value] if isinstance(value, list) else []


def form_without_dtype(answer: Answer, actual) -> None:
    answer._must_have_shape(actual, list(answer.truth.shape))


def first_worker_for_ever(run: RunState):
    run._worker = run._worker or run.runner.start(run.files)
    return run._worker


DEFENCES = [
    # -- in the verifier
    Defence(
        "numbers of requests that nobody can guess",
        "wrong_number_right_answer",
        patches={"grader.runners.pipe.secrets.randbits": lambda _: 7},
    ),
    Defence("a cap on what is announced", "huge_announced", patches={"grader.wire.frames.MAX_BODY": 2**32}),
    Defence(
        "a limit on what is printed",
        "output_flood",
        patches={"grader.runners.pipe.PipeWorker._read_errors": lambda worker: _read_all(worker._errors)},
    ),
    Defence(
        "names of checks stay here",
        "asks_which_check_it_is",
        patches={"grader.student.line.secrets.token_hex": lambda _: HIDDEN_DIM},
    ),
    Defence("mutation is judged by bytes", "mutation_denied", patches={"grader.student.calls.Calls.mutated": claimed}),
    Defence(
        "finite before anything else",
        "nan_everywhere",
        patches={"grader.numerics.answer.Answer._must_be_finite": lambda *_: None},
    ),
    Defence(
        "dtype before values",
        "wider_than_claimed",
        patches={"grader.numerics.answer.Answer._must_have_shape_and_dtype": form_without_dtype},
    ),
    Defence(
        "shape before values",
        "broadcastable",
        patches={"grader.numerics.answer.Answer._must_have_shape": lambda *_: None},
    ),
    Defence(
        "a fresh worker after a crash",
        "kill_itself",
        patches={"grader.run_state.RunState.worker": first_worker_for_ever},
        checks=(HIDDEN_DIM, "ffn.gradients"),
    ),
    Defence(
        "few environment variables",
        "secrets_in_the_environment",
        patches={"grader.runners.fork.environment": lambda extra: {"COURSE_TOKEN": "x", **extra}},
    ),
    Defence(
        "text is cleaned",
        "escapes_in_the_error",
        patches={"grader.report.results.clean": lambda text, limit=0: str(text).encode("utf-8", "replace").decode()},
    ),
    # -- in the worker: its streams
    Defence("printing goes elsewhere", "workflow_commands", [("worker/__main__.py", "    os.dup2(2, 1)", "    pass")]),
    Defence(
        "standard input is empty",
        "reads_standard_input",
        [("worker/__main__.py", "os.dup2(nothing, 0)", "pass")],
        checks=(HIDDEN_DIM,),
    ),
    Defence(
        "descriptors are closed",
        "orders_to_the_launcher",
        [("worker/zygote.py", "        control.close()\n", "")],
        "descriptors",
    ),
    # -- in the worker: what it reports
    Defence(
        "parameters from torch's own tables",
        "hidden_bias",
        [
            (
                "worker/parameters.py",
                'return dict(_kept(module, "_parameters", "", set()))',
                "return dict(module.named_parameters())",
            )
        ],
    ),
    Defence(
        "trained by torch's own getter",
        "bias_that_denies_training",
        [("worker/parameters.py", "_REQUIRES_GRAD(value)", "value.requires_grad")],
    ),
    Defence(
        "gradients of an output of the right shape",
        "answer_of_many_axes",
        [("worker/serve.py", "if output.shape != cotangent.shape:", "if False:")],
    ),
    Defence(
        "size before a tensor is copied",
        "petabyte_by_expanding",
        [("worker/objects.py", "value.numel() * value.element_size() > MAX_BODY", "False")],
    ),
    Defence(
        "the encoder refuses what the decoder would",
        "list_of_a_million",
        [("wire/codec.py", ENCODERS_COUNT, "        if value is None:\n            self.out")],
    ),
    Defence(
        "leaving by an exception is an error",
        "sys_exit_in_call",
        [("worker/serve.py", "except BaseException as error:", "except Exception as error:")],
    ),
    Defence(
        "flags are set before every call",
        "flags_left_changed",
        [("worker/serve.py", "        self._before_each()\n", "")],
        checks=(HIDDEN_DIM, GRADIENTS),
    ),
    # -- in the worker: imports
    Defence(
        "the library comes before the submission",
        "shadowing_files",
        [("worker/loader.py", "sys.meta_path.append(", "sys.meta_path.insert(0, ")],
        checks=(HIDDEN_DIM,),
    ),
    Defence(
        "the solution cannot be imported",
        "import_the_solution",
        [("worker/loader.py", 'return first in (PACKAGE, "reference")', "return first == PACKAGE")],
        "landlock",
    ),
    # -- in the worker: the kernel's
    Defence("system calls are filtered", "send_by_datagram", without="seccomp"),
    Defence("no namespaces of its own", "own_namespace", without="seccomp,landlock"),
    Defence("no new processes", "fork_bomb", without="seccomp"),
    Defence("files cannot be read", "read_the_solution", without="landlock"),
    Defence("files cannot be written", "mark_for_the_next_run", without="landlock"),
    Defence("the grader's code cannot be opened for writing", "edit_the_grader", without="landlock"),
    Defence("files stay small", "disk_fill", without="limits,landlock"),
]


@pytest.mark.parametrize("defence", DEFENCES, ids=lambda defence: defence.name)
def test_without_a_defence_an_attack_ends_otherwise(defence, warm_runner, settings, monkeypatch, tmp_path):
    attack = BankFile(BANK / "hostile" / f"{defence.attack}.py")
    expected = constant(attack, "EXPECTED")
    checks = list(defence.checks or expected)
    assert ends_as_it_must(attack, expected, checks, warm_runner, settings)

    for name, replacement in defence.patches.items():
        monkeypatch.setattr(name, replacement)
    runner = runner_with(defence.changes, tmp_path, monkeypatch, without=defence.without)

    assert not ends_as_it_must(attack, expected, checks, runner, settings)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a stray holds the printed text's pipe
@pytest.mark.parametrize(
    ("changes", "outlives"),
    [
        pytest.param([], False, id="with it"),
        pytest.param([("worker/zygote.py", "            _end_children(but=workers)\n", "")], True, id="without it"),
    ],
)
def test_strays_end_because_the_process_that_forks_looks_for_them(changes, outlives, monkeypatch, tmp_path):
    runner = runner_with(changes, tmp_path, monkeypatch, without="seccomp,landlock")
    worker = runner.start({"assignment1/norm.py": LEAVES_A_DAEMON})
    daemon = call(worker, "leave_a_daemon")

    worker.close()
    ended = has_ended(daemon, within=0.5)
    runner.close()

    assert ended is not outlives
    assert has_ended(daemon)


def ends_as_it_must(attack: BankFile, expected: dict[str, set[str]], checks: list[str], runner, settings) -> bool:
    """Whether the attack costs what it must, nothing else, and leaves nothing hidden in the report."""
    files = {**attack.submission().files, **constant(attack, "FILES")}
    report = grade(SubmissionFiles(attack.name, files), runner, settings, seed=7, selected=checks)
    right = all(str(check.outcome) in expected.get(check.id, {"pass"}) for check in report.checks)
    shown = [text for check in report.checks if check.finding for text in check.finding.text.values()]
    return report.graded and right and all(clean(text) == text for text in shown)


def constant(entry: BankFile, name: str) -> dict[str, Any]:
    for node in ast.parse(entry.path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return ast.literal_eval(node.value)
    return {}


def _read_all(stream) -> None:
    while stream.read(65536):
        pass
