"""Whatever is handed in, the student reads one clear sentence and their own lines, never a traceback of ours."""

from __future__ import annotations

import re

import pytest

from grader.errors import Outcome
from grader.session import grade

WITHOUT_SUBCLASS = "class SwiGLU:\n    def __init__(self, dim, hidden_dim):\n        pass\n"


def relu(body: str, *, init: str = "super().__init__(dim, hidden_dim)") -> str:
    """A ReLUFeedForward that differs from the right one in ``forward`` or in its constructor."""
    return f"""
import torch
from torch import nn
from .ffn import ReLUFeedForward as Plain

class ReLUFeedForward(Plain):
    def __init__(self, dim, hidden_dim):
        {init}

    def forward(self, x):
        {body}
"""


CASES = {
    "missing module": (
        "ffn.hidden-dim",
        None,
        "assignment1/ffn.py is missing: the module assignment1.ffn was not found.",
    ),
    "name misspelled": (
        "ffn.hidden-dim",
        "del swiglu_hidden_dim\ndef swiglu_hiden_dim(dim, multiple_of=1): return 1",
        "assignment1.ffn has no swiglu_hidden_dim. Did you mean swiglu_hiden_dim to be swiglu_hidden_dim?",
    ),
    "missing name": (
        "ffn.hidden-dim",
        "del swiglu_hidden_dim",
        "assignment1.ffn has no swiglu_hidden_dim. It defines: ReLUFeedForward, SwiGLU.",
    ),
    "syntax error": (
        "ffn.hidden-dim",
        "x = 1\ny = = 2\n",
        re.compile(
            r"assignment1/ffn\.py, line \d+: invalid syntax\. The file could not be read, so nothing in it was checked "
            r"\(SyntaxError, needed for swiglu_hidden_dim\)\."
        ),
    ),
    "wrong indentation": (
        "ffn.hidden-dim",
        "def f():\nreturn 1\n",
        re.compile(r"assignment1/ffn\.py, line \d+: expected an indented block .*\(IndentationError, .*"),
    ),
    "exception at import": (
        "ffn.hidden-dim",
        "ratio = 1 / 0",
        "Importing the module with swiglu_hidden_dim raised ZeroDivisionError: division by zero",
    ),
    "dependency missing": (
        "ffn.hidden-dim",
        "import einopz",
        "Importing the module with swiglu_hidden_dim raised ModuleNotFoundError: No module named 'einopz'",
    ),
    "exception in a call": (
        "ffn.hidden-dim",
        "def swiglu_hidden_dim(dim, multiple_of=1): return {}['width']",
        "swiglu_hidden_dim raised KeyError: 'width'",
    ),
    "not implemented": (
        "ffn.hidden-dim",
        "def swiglu_hidden_dim(dim, multiple_of=1): raise NotImplementedError('section 4.6')",
        "swiglu_hidden_dim is not implemented yet: section 4.6",
    ),
    "too few parameters": (
        "ffn.hidden-dim",
        "def swiglu_hidden_dim(): return 1",
        "swiglu_hidden_dim cannot be called as the assignment asks: too many positional arguments. "
        "Its signature is swiglu_hidden_dim().",
    ),
    "one parameter too many": (
        "ffn.relu-values",
        relu("return x").replace("def forward(self, x)", "def forward(self, x, mask)"),
        "ReLUFeedForward cannot be called as the assignment asks: missing a required argument: 'mask'. "
        "Its signature is ReLUFeedForward(x, mask).",
    ),
    "no nn.Module": (
        "ffn.swiglu-values",
        WITHOUT_SUBCLASS,
        "SwiGLU must be an nn.Module; SwiGLU does not inherit from it.",
    ),
    "None": ("ffn.relu-values", relu("return None"), "ReLUFeedForward must return a tensor, got NoneType."),
    "a tuple": (
        "ffn.relu-values",
        relu("return x, x"),
        "ReLUFeedForward must return a tensor, got a tuple or list of 2.",
    ),
    "an array": ("ffn.relu-values", relu("return x.numpy()"), "ReLUFeedForward must return a tensor, got ndarray."),
    "a float for an int": (
        "ffn.hidden-dim",
        "def swiglu_hidden_dim(dim, multiple_of=1): return 8 * dim / 3",
        "swiglu_hidden_dim must be an int, got float.",
    ),
    "one tensor for two": (
        "cache.append-order",
        "KVCache.append = lambda self, k, v: k",
        "KVCache.append must return two tensors, got a tensor.",
    ),
    "wrong shape": (
        "ffn.relu-values",
        relu("return super().forward(x).transpose(0, 1)"),
        "ReLUFeedForward returned shape [5, 2, 6]; expected [2, 5, 6], axes [B, T, D].",
    ),
    "wrong dtype": (
        "ffn.relu-values",
        relu("return super().forward(x).double()"),
        re.compile(r"ReLUFeedForward returned float64; expected float32\."),
    ),
    "NaN": (
        "ffn.relu-values",
        relu("return super().forward(x) / torch.tensor([[0.0], [1.0], [1.0], [1.0], [1.0]]) * 0"),
        re.compile(
            r"ReLUFeedForward returned nan at \[B, T, D\] = \[0, 0, 0\], where -?[0-9.e-]+ is right; "
            r"12 of 60 elements are NaN or infinite\."
        ),
    ),
    "infinity": (
        "ffn.relu-values",
        relu("return super().forward(x) + torch.tensor(1e30) * 1e30"),
        re.compile(r"ReLUFeedForward returned inf at .* 60 of 60 elements are NaN or infinite\."),
    ),
    "wrong parameter name": (
        "ffn.relu-values",
        relu("return x", init="nn.Module.__init__(self); self.fc_1 = nn.Linear(dim, hidden_dim, bias=False)"),
        "ReLUFeedForward has no parameter w_1.weight [10, 6]. It has: fc_1.weight [10, 6].",
    ),
    "wrong parameter shape": (
        "ffn.relu-values",
        relu("return x", init="super().__init__(hidden_dim, dim)"),
        "ReLUFeedForward: parameter w_1.weight has shape [6, 10], expected [10, 6].",
    ),
    "extra parameter": (
        "ffn.parameters",
        relu("return x", init="super().__init__(dim, hidden_dim); self.scale = nn.Parameter(torch.ones(1))"),
        "ReLUFeedForward must train exactly these parameters: w_1.weight [10, 6], w_2.weight [6, 10]. "
        "It trains: scale [1], w_1.weight [10, 6], w_2.weight [6, 10].",
    ),
}
FAILED = {
    *("None", "a tuple", "an array", "a float for an int", "one tensor for two"),
    *("wrong shape", "wrong dtype", "NaN", "infinity", "extra parameter"),
}
"""Cases in which the call returned; in the others it did not come to that."""


@pytest.fixture
def result_of(warm_runner, settings):
    """A function: the result of one check on a submission, after making sure that the run is a grade."""

    def run(submission, check):
        report = grade(submission, warm_runner, settings, seed=11, selected=[check])
        assert report.graded, report.error
        return report.checks[0]

    return run


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_says_what_is_wrong(result_of, submission_with, case):
    check, text, sentence = CASES[case]
    submission = submission_with(**{"kv_cache" if check.startswith("cache.") else "ffn": text or ""})
    if text is None:
        del submission.files["assignment1/ffn.py"]

    result = result_of(submission, check)

    assert (result.outcome, result.points) == (Outcome.FAIL if case in FAILED else Outcome.STUDENT_ERROR, 0)
    assert sentence == result.finding.text["en"] or re.fullmatch(sentence, result.finding.text["en"])
    assert re.search("[\u4e00-\u9fff]", result.finding.text["zh"])


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        pytest.param("ratio = 1 / 0", [("<module>", "ratio = 1 / 0")], id="at import"),
        pytest.param(
            "def third(x):\n    return x / 0\n\ndef swiglu_hidden_dim(dim, multiple_of=1):\n    return third(dim)\n",
            [("swiglu_hidden_dim", "return third(dim)"), ("third", "return x / 0")],
            id="in a call",
        ),
        pytest.param(
            "import torch\n\ndef swiglu_hidden_dim(dim, multiple_of=1):\n    return torch.ones(2) @ torch.ones(3)\n",
            [("swiglu_hidden_dim", "return torch.ones(2) @ torch.ones(3)")],
            id="in torch",
        ),
        pytest.param("x = 1\ny = = 2\n", [("", "y = = 2")], id="that cannot be parsed"),
    ],
)
def test_the_traceback_holds_the_student_s_lines_and_no_others(result_of, submission_with, text, frames):
    submission = submission_with(ffn=text)
    source = submission.files["assignment1/ffn.py"].splitlines()

    found = result_of(submission, "ffn.hidden-dim").finding.frames

    assert [(frame.function, frame.text) for frame in found] == frames
    assert {frame.file for frame in found} == {"assignment1/ffn.py"}
    assert [source[frame.line - 1].strip() for frame in found] == [frame.text for frame in found]


def test_a_file_that_cannot_be_read_costs_its_own_checks_only(warm_runner, settings, submission_with):
    report = grade(
        submission_with(ffn="def f(:"), warm_runner, settings, seed=11, selected=["ffn.hidden-dim", "rope.dtype"]
    )

    assert {check.id: check.outcome for check in report.checks} == {
        "rope.dtype": Outcome.PASS,
        "ffn.hidden-dim": Outcome.STUDENT_ERROR,
    }
