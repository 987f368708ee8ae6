"""What a verdict takes on the worker's word, and no more: a worker that lies gains these checks and no others.

Everything else is bytes that the worker can give only by computing them. Which parameters a module trains is a fact
about objects in its process. Whether arguments are unchanged is shown by their bytes, so a liar has to work on copies,
which is what the check asks for.
"""

from __future__ import annotations

import pytest

from grader.errors import Outcome
from grader.session import grade

LIE = """
import sys

serve = sys.modules["grader.worker.serve"]
real_state = serve.state

def state(module):
    told = real_state(module)
    told["parameters"].pop("extra", None)
    told["trained"] = [name for name in told["trained"] if name != "extra"]
    return told

serve.state = state
"""

WRONG = """
import torch
from torch import nn
from .ffn import ReLUFeedForward as Plain

class ReLUFeedForward(Plain):
    def __init__(self, dim, hidden_dim):
        super().__init__(dim, hidden_dim)
        self.extra = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        y = super().forward(x)
        {change}
        return y
"""

KEEPS_COPIES = """
import sys

serve = sys.modules["grader.worker.serve"]
real_invoke = serve._invoke

def invoke(function, arguments, request):
    copies = {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in arguments.items()}
    return real_invoke(function, copies, request)

serve._invoke = invoke
"""


@pytest.fixture
def passed(warm_runner, settings, submission_with, monkeypatch):
    """Ids of the checks of the classic layer that a submission passes."""
    monkeypatch.setattr("grader.diagnosis.replay.all_mistakes", dict)
    checks = ["ffn.relu-values", "ffn.parameters", "ffn.dtype", "ffn.gradients", "ffn.no-side-effects"]

    def run(text: str) -> set[str]:
        report = grade(submission_with(ffn=text), warm_runner, settings, seed=3, selected=checks)
        return {check.id for check in report.checks if check.outcome is Outcome.PASS}

    return run


def test_a_lie_about_parameters_gains_the_check_that_asks_for_them_and_no_other(passed):
    honest, lying = passed(WRONG.format(change="")), passed(WRONG.format(change="") + LIE)

    assert lying - honest == {"ffn.parameters"}


def test_a_lie_about_mutation_takes_copies_of_all_arguments_as_the_check_asks(passed):
    mutating = WRONG.format(change="x.data.zero_()")
    honest, lying = passed(mutating), passed(mutating + KEEPS_COPIES)

    assert lying - honest == {"ffn.no-side-effects"}
