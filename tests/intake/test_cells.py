"""Which statements of a notebook are kept: those that the assignment's names need, at the lines where they were."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.cells import UnreadableCell, parse, select

ROPE = "def apply_rope(x, positions, base=10000.0): return x"


def kept(*sources: str) -> dict[int, str]:
    return select(parse(number, source) for number, source in enumerate(sources, 1))


def lines(source: str) -> list[str]:
    """What is kept of one cell, beside a definition in another; without ``pass``."""
    text = kept(source, f"{ROPE[:-1]}f(TABLE, np, x)").get(1, "")
    return [line for line in text.splitlines() if line not in ("", "pass")]


# -- what is kept ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        *["TABLE = [1, 2]", "TABLE: list = []", "TABLE, other = 1, 2", "first = TABLE = 3", "[*TABLE] = 1, 2"],
        *["TABLE[0] = 5", "TABLE.scale = 2", "TABLE += [3]", "(TABLE) = 1"],
        *["import numpy as np", "import np", "import np.linalg", "from numpy import x as np", "from numpy import *"],
        *["def f(a): return a", "async def f(a): return a", "class f: pass", "f = lambda a: a"],
        *["if True: TABLE = 1", "from __future__ import annotations"],
    ],
)
def test_what_a_definition_needs_is_kept(statement):
    assert lines(statement) == [statement]


@pytest.mark.parametrize(
    "statement",
    [
        *["print(TABLE)", "TABLE", "'text'", "TABLE.append(1)", "apply_rope(1, 2)", "f"],
        *["for TABLE in []: pass", "while False: TABLE = 1", "with open('x') as TABLE: pass", "assert TABLE"],
        *["del TABLE", "raise OSError", "if __name__ == '__main__': TABLE = 1"],
        *["unused = 1", "import unused", "def unused(): TABLE", "class Unused(nowhere): pass", "x = load('big.bin')"],
        *["unused.TABLE = 1", "if f: unused = 1"],
    ],
)
def test_what_only_runs_or_is_not_needed_is_dropped(statement):
    assert lines(statement) == []


def test_needs_are_followed_through_everything_kept():
    texts = kept(
        "a = 1\nb = a\nunused = b",
        "class Base: x = b",
        "def decorate(f): return f\ndefault = 3\nKind = int",
        "@decorate\nclass SwiGLU(Base):\n    def forward(self, x: Kind, n=default): return [helper(i) for i in x]",
        "def helper(x):\n    def inner(): return deep\n    return inner()",
        "deep = 1",
    )

    assert [*texts] == [1, 2, 3, 4, 5, 6]
    assert texts[1] == "a = 1\nb = a\npass\n"


def test_a_parameter_or_a_local_name_is_no_need():
    texts = kept("x = load()", "y = load()", "z = load()", "def apply_rope(x):\n    y = x\n    return [z for z in y]")

    assert [*texts] == [4]


def test_a_name_that_is_declared_global_is_needed():
    assert [*kept("count = 0", "def apply_rope(x):\n    global count\n    count = count + 1")] == [1, 2]


def test_try_is_kept_whole_when_one_of_its_names_is_needed():
    source = "try:\n    import np\nexcept ImportError:\n    np = None\n    print('none')\nelse:\n    pass"

    assert kept(source, f"{ROPE}, np")[1] == f"{source}\n"


def test_later_definitions_follow_earlier_ones():
    assert kept(ROPE, "plot()", ROPE.replace("x\n", "y\n")) == {1: f"{ROPE}\n", 3: f"{ROPE}\n"}


def test_without_a_name_of_the_assignment_nothing_is_kept():
    assert kept("def f(): pass", "import torch") == {}


@pytest.mark.parametrize("name", ["aply_rope", "apply_ropes", "ApplyRope", "swiglu_hiden_dim"])
def test_a_name_that_is_nearly_right_is_kept_so_that_it_can_be_asked_about(name):
    assert bool(kept(f"def {name}(): pass")) is (name != "ApplyRope")


# -- where it stands ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("print(1)\n\nTABLE = 2", "pass\n\nTABLE = 2\n"),
        ("print(\n  1,\n)\nTABLE = 2", "pass\n\npass\nTABLE = 2\n"),
        ("print('''\n'''); TABLE = 2", "pass\npass; TABLE = 2\n"),
        ("TABLE = 2; print(TABLE)  # shows it", "TABLE = 2; pass  # shows it\n"),
        ("print('一二'); TABLE = '三'; print(3)", "pass; TABLE = '三'; pass\n"),
        ("@unused\n@other\ndef g():\n    return 1\n\nTABLE = 2", "pass\n\n\npass\n\nTABLE = 2\n"),
        ("if __name__ == '__main__':\n    main()\nTABLE = 2", "pass\npass\nTABLE = 2\n"),
    ],
)
def test_dropped_statements_leave_their_lines(source, text):
    assert kept(source, f"{ROPE}, TABLE")[1] == text


STATEMENTS = st.sampled_from(
    ["TABLE = 1", "print('\u00e9\\n')", "print(\n1)", "for x in y:\n    z", "# note", "", ROPE]
)


@given(st.lists(STATEMENTS, max_size=8), st.sampled_from(["\n", "\n\n", "\n# note\n"]))
def test_every_kept_statement_is_on_its_own_line(statements, between):
    source = between.join(statements)
    before = {node.lineno: ast.dump(node) for node in ast.parse(source).body}

    text = kept(source, f"{ROPE}, TABLE").get(1, "")

    after = {node.lineno: ast.dump(node) for node in ast.parse(text).body if not isinstance(node, ast.Pass)}
    wanted = {line: node for line, node in before.items() if "'TABLE'" in node or "'apply_rope'" in node}
    assert after == wanted


# -- magics ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "magic",
    [
        *["%matplotlib inline", "!pip install x", "%timeit f(1)", "files = !ls", "a, b = %magic", "?f", "f?", "f.g??"],
        *["!pip install \\\n  x", "%load_ext autoreload\n%autoreload 2"],
    ],
)
def test_magics_are_replaced_and_lines_stay(magic):
    text = kept(f"{magic}\nif True:\n    !ls\n    TABLE = 1", f"{ROPE}, TABLE")[1]

    assert text.splitlines()[magic.count("\n") + 1 :] == ["if True:", "    pass", "    TABLE = 1"]


def test_a_line_of_python_that_begins_with_a_percent_sign_is_no_magic():
    source = "TABLE = (7\n% 4)"

    assert kept(source, f"{ROPE}, TABLE")[1] == f"{source}\n"


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "\n%%prun -s x"])
def test_a_cell_that_is_timed_counts(magic):
    texts = kept(f"{magic}\n{ROPE}")

    assert texts[1].rstrip("\n").split("\n") == [""] * (magic.count("\n") + 1) + [ROPE]


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%javascript", "%%timeit", "%%", "%%writefile"])
def test_a_cell_in_another_language_is_dropped(magic):
    assert kept(f"{magic}\n{ROPE}") == {}


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\ny = = 2", 2),
        ("!ls\ndef f(:", 2),
        ("(" * 300, 1),
        ("-" * 100_000 + "1", 0),
        ("1" + "+1" * 100_000, 0),
    ],
)
def test_what_cannot_be_parsed_is_said_with_its_line(source, line):
    with pytest.raises(UnreadableCell) as caught:
        parse(1, source)

    assert (caught.value.line, bool(caught.value.detail)) == (line, True)


def test_python_s_warnings_about_the_student_s_code_are_not_ours():
    assert parse(1, "x = '\\d' is 'd'").statements
