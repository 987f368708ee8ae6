"""What is in a kit, and what can be found in none: solutions, models of mistakes, hidden checks."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from kit_course import HIDDEN, PUBLIC, SEED, assignment

from grader import settings
from grader.catalogue import all_checks
from grader.kit import build, contents, public
from grader.kit.build import MOST_BYTES

ROOT = Path(__file__).parents[2]
ARITHMETIC = {
    *("softmax", "log_softmax", "scaled_dot_product_attention", "silu", "sigmoid", "relu", "gelu", "tanh", "rsqrt"),
    *("layer_norm", "rms_norm", "var", "var_mean", "polar", "outer", "einsum", "tril", "triu", "masked_fill"),
    *("LayerNorm", "RMSNorm", "MultiheadAttention", "view_as_complex", "repeat_interleave"),
}
"""Functions of torch with which one writes a solution, and with which nothing is compared, drawn or sent."""


def sources(kit: Path) -> dict[str, str]:
    """Every text of a kit by its path."""
    texts = (".py", ".toml", ".json", ".md", ".ini", ".jinja", ".css")
    return {
        path.relative_to(kit).as_posix(): path.read_text("utf-8") for path in kit.rglob("*") if path.suffix in texts
    }


def test_somebody_decided_about_every_file_of_the_grader():
    assert [file for file in contents.files() if not contents.is_placed(file)] == []


@pytest.mark.parametrize("entry", [*contents.IN, *contents.OUT])
def test_every_entry_of_the_lists_is_there(entry):
    made = ("key/", "submissions_template", "runners/docker/recipe")  # only in kits and in wheels

    assert (contents.PACKAGE / entry).exists() or entry.startswith(made)


@pytest.mark.parametrize("entry", contents.OUT)
def test_nothing_that_is_out_is_in_a_kit(kit, entry):
    own = ("assignment.toml", "key/key.json", "key/key.safetensors.gz", "submissions_template")

    assert not (kit / "grader" / entry).exists() or entry in own


def test_a_kit_holds_no_reference(kit):
    assert not (kit / "reference").exists()
    assert not [path for path, text in sources(kit).items() if path.endswith(".py") and "from reference" in text]


def test_every_module_of_a_kit_can_be_imported_without_the_rest_of_the_grader(kit):
    modules = [
        path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        for path in sources(kit)
        if path.startswith("grader/") and path.endswith(".py") and not path.endswith("__main__.py")
        if not path.startswith(("grader/submissions_template", "grader/worker/defences"))
    ]
    program = f"""
import importlib, sys
sys.path[:] = [{str(kit)!r}, *(path for path in sys.path if path != {str(ROOT)!r})]
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
for module in {modules!r}:
    importlib.import_module(module)
    assert sys.modules["grader"].__file__.startswith({str(kit)!r}), sys.modules["grader"].__file__
print(*[name for name in sys.modules if name.startswith("reference")])
"""
    result = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False)

    assert result.stderr == ""
    assert result.stdout.split() == []
    assert len(modules) > 100


def test_no_line_of_the_solution_is_in_a_kit(kit):
    lines = {
        line.strip()
        for path in [*(ROOT / "reference").glob("*.py"), *(ROOT / "grader" / "diagnosis" / "program").glob("*.py")]
        for line in _computing_lines(path.read_text("utf-8"))
    }

    copied = {path: sorted(lines & {line.strip() for line in text.splitlines()}) for path, text in sources(kit).items()}

    assert len(lines) > 30
    assert {path: found for path, found in copied.items() if found} == {}


def _computing_lines(source: str) -> list[str]:
    """Lines that compute something out of tensors: calls, products, quotients, beyond what any code has."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assign | ast.Return)]
    telling = [
        node
        for node in nodes
        if any(isinstance(inner, ast.BinOp | ast.MatMult) for inner in ast.walk(node)) and len(ast.unparse(node)) > 24
    ]
    return [source.splitlines()[node.lineno - 1] for node in telling]


def test_no_file_of_a_kit_uses_what_a_solution_is_made_of(kit):
    found = {}
    for path, text in sources(kit).items():
        if path.endswith(".py"):
            used = {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)} & ARITHMETIC
            if used - ({"repeat_interleave"} if path.startswith("grader/checks/") else set()):
                found[path] = used

    assert found == {}


def test_the_arithmetic_that_is_looked_for_is_what_solutions_are_made_of():
    for package in ("reference", "grader/oracle", "grader/diagnosis/program"):
        texts = [path.read_text("utf-8") for path in (ROOT / package).rglob("*.py")]
        used = {node.attr for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}

        assert used & ARITHMETIC


def test_the_template_in_a_kit_has_no_code(kit):
    for path in (kit / "assignment1").glob("*.py"):
        functions = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
        ends = [ast.unparse(function.body[-1]) for function in functions if function.name != "__init__"]

        assert [end for end in ends if not end.startswith("raise NotImplementedError")] == []


@pytest.mark.parametrize("check", HIDDEN)
def test_nothing_of_a_hidden_check_is_in_a_kit(kit, check):
    info = all_checks()[check]
    telling = [f'"{check}"', info.title, f"[{check}]"]

    assert [path for path, text in sources(kit).items() if any(word in text for word in telling)] == []


def test_a_kit_says_how_many_checks_are_hidden_by_section_and_no_more(kit):
    facts = json.loads((kit / "grader/key/key.json").read_text("utf-8"))

    assert facts["hidden"] == {"4.5": 2, "4.6": 1}
    assert facts["hidden_points"] == 2 * len(HIDDEN)
    assert set(facts["names"]) == set(PUBLIC)
    assert facts["seed"] == SEED


def test_a_kit_keeps_public_checks_to_the_byte(kit):
    for path in (kit / "grader" / "checks").glob("check_*.py"):
        ours = (contents.PACKAGE / "checks" / path.name).read_text("utf-8").splitlines()
        theirs = path.read_text("utf-8").splitlines()

        assert set(theirs) <= set(ours)


def test_a_file_without_public_checks_is_left_out():
    source = (contents.PACKAGE / "checks" / "check_cache.py").read_text("utf-8")

    assert public.check_file(source, []) is None
    assert "def check_long" not in (public.check_file(source, ["cache.dtype"]) or "")


def test_a_kit_is_small(kit):
    assert sum(path.stat().st_size for path in kit.rglob("*") if path.is_file()) < MOST_BYTES


def test_the_same_kit_has_the_same_bytes(tmp_path):
    loaded = settings.load(assignment(tmp_path, ["rope.frequencies"], []), all_checks())

    for name in ("one.zip", "two.zip"):
        build.build(tmp_path / name, loaded, SEED, 1, lambda check, done, total: None)

    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert {name.split("/")[0] for name in zipfile.ZipFile(tmp_path / "one.zip").namelist()} == {build.NAME}
