"""``%load_ext grader`` and ``%grade``: with a stand-in for IPython's shell, and in IPython itself."""

from __future__ import annotations

import pytest
import torch

import grader
import reference.ffn
import reference.norm
from grader.errors import UsageError
from grader.practice import magic


class Shell:
    """What the extension needs of IPython's shell."""

    def __init__(self, **user_ns):
        self.user_ns, self.magics = user_ns, {}

    def register_magic_function(self, function, magic_kind="line", magic_name=None):
        self.magics[magic_kind, magic_name] = function


@pytest.fixture
def shell():
    shell = Shell(
        swiglu_hidden_dim=reference.ffn.swiglu_hidden_dim, RMSNorm=reference.norm.RMSNorm, LayerNorm=torch.nn.LayerNorm
    )
    grader.load_ipython_extension(shell)
    return shell


def test_the_extension_registers_one_line(shell):
    assert list(shell.magics) == [("line", "grade")]


@pytest.mark.parametrize(
    ("line", "areas"),
    [("swiglu_hidden_dim", {"ffn"}), ("RMSNorm", {"norm"}), ("", {"ffn", "norm"}), ("LayerNorm", {"norm"})],
)
def test_the_line_grades_the_names_on_it_or_all_that_the_student_wrote(shell, line, areas):
    result = shell.magics["line", "grade"](line)

    assert {check.id.split(".")[0] for check in result.report.checks} == areas
    assert result.score == result.max_score > 0


def test_the_line_takes_a_seed_and_a_language(shell):
    for line in ("swiglu_hidden_dim --seed 7 --lang zh", "--lang=zh --seed=7 swiglu_hidden_dim"):
        result = shell.magics["line", "grade"](line)

        assert (result.report.seed, result.language) == (7, "zh")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("apply_rope", "apply_rope is not defined here; run the cell that defines it first"),
        ("apply_ropes", r"the assignment has no apply_ropes; did you mean apply_rope\?"),
        ("--sead 7", "cannot read --sead; the line is %grade"),
        ("--seed seven", "cannot read --seed; the line is %grade"),
        ("--lang", "cannot read --lang; the line is %grade"),
        ("--lang fr", "lang is one of en, zh"),
        ("'", "No closing quotation; the line is %grade"),
    ],
)
def test_what_the_line_cannot_do_is_one_sentence(line, said, shell, capsys):
    with pytest.raises(UsageError, match=f"^{said}"):
        magic.grade(line, shell.user_ns)

    assert shell.magics["line", "grade"](line) is None
    assert capsys.readouterr().err.startswith("grader: ")


def test_a_notebook_without_a_name_of_the_assignment_is_told_which_there_are():
    with pytest.raises(UsageError, match=r"nothing of the assignment is defined here yet; it has LayerNorm, "):
        magic.grade("", {"x": 3})


def test_in_ipython_cells_are_graded_and_named(capsys):
    interactive = pytest.importorskip("IPython.core.interactiveshell", reason="IPython is not installed")
    shell = interactive.InteractiveShell.instance()
    try:
        shell.run_cell("%load_ext grader")
        shell.run_cell("def swiglu_hidden_dim(dim, multiple_of=1):\n    return dim / 0", store_history=True)
        result = shell.run_cell("%grade swiglu_hidden_dim").result
    finally:
        interactive.InteractiveShell.clear_instance()

    assert "swiglu_hidden_dim raised ZeroDivisionError" in str(result)
    assert ":2 in swiglu_hidden_dim: return dim / 0" in str(result)
    assert "Cell In[1]" in str(result)
    assert "<pre" in result._repr_html_()
