"""Who imports whom, read from the sources and held against the table of import_rules."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from import_rules import RULES, TYPES_FOR_CHECKS, UPWARD

ROOT = Path(__file__).parents[1]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): path.read_text("utf-8")
    for package in ("grader", "reference")
    for path in sorted((ROOT / package).rglob("*.py"))
}
STANDARD = {*sys.stdlib_module_names, "tomllib", "tomli"}  # tomli is Python 3.10's tomllib
PACKAGES = {name for name in SOURCES if any(other.startswith(f"{name}.") for other in SOURCES)}


@dataclass(frozen=True)
class Imports:
    running: set[str]
    types_only: set[str]


def imports_of(module: str, source: str) -> Imports:
    """Absolute names of the modules that ``source`` imports anywhere: at its top, in functions, for types."""
    tree = ast.parse(source)
    type_blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and _is_type_checking(node.test)]
    types_only = {inner for block in type_blocks for statement in block.body for inner in ast.walk(statement)}
    found = Imports(set(), set())
    for node in ast.walk(tree):
        targets = found.types_only if node in types_only else found.running
        if isinstance(node, ast.Import):
            targets.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = _absolute(module, node)
            targets.update(
                f"{parent}.{alias.name}" if f"{parent}.{alias.name}" in SOURCES else parent for alias in node.names
            )
    return found


def _is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _absolute(module: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module.split(".") if module in PACKAGES else module.split(".")[:-1]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def place_of(module: str) -> str | None:
    """The closest rule; None where there is none."""
    parts = module.split(".")
    places = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((place for place in places if place in RULES and (place != "grader" or module == "grader")), None)


def covers(entry: str, target: str) -> bool:
    return target == entry or (entry != "grader" and target.startswith(f"{entry}."))


def forbidden(module: str, source: str) -> set[str]:
    """What ``source`` imports against the rule of ``module``."""
    place, found = place_of(module), imports_of(module, source)
    assert place is not None, f"{module} has no rule"
    allowed = [place, *RULES[place].ours.split(), *RULES[place].others.split(), *STANDARD]
    allowed_types = [*allowed, *(TYPES_FOR_CHECKS if place == "grader.checks" else ())]
    return {
        target
        for targets, entries in ((found.running, allowed), (found.types_only, allowed_types))
        for target in targets
        if not any(covers(entry, target) for entry in entries)
    }


@pytest.mark.parametrize("module", SOURCES)
def test_module_imports_only_what_its_rule_allows(module):
    assert forbidden(module, SOURCES[module]) == set()


def test_every_place_has_a_rule_of_its_own():
    places = {".".join(module.split(".")[:2]) for module in SOURCES if module.startswith("grader")}

    assert places - set(RULES) == set()


@pytest.mark.parametrize("place", RULES)
def test_every_rule_is_needed_as_wide_as_it_is(place):
    found = [imports_of(module, source) for module, source in SOURCES.items() if place_of(module) == place]
    targets = {target for imports in found for target in imports.running | imports.types_only}
    unused = {
        entry
        for entry in f"{RULES[place].ours} {RULES[place].others}".split()
        if not any(covers(entry, target) for target in targets)
    }

    assert found, "a rule without a module"
    assert unused == set()


def test_the_rules_are_layers_without_a_circle():
    order = list(RULES)
    upward = {
        (place, entry)
        for place, rule in RULES.items()
        for entry in rule.ours.split()
        if order.index(place_of(entry)) >= order.index(place)
    }

    assert upward == UPWARD


def test_the_catalogue_imports_the_folder_of_checks_and_no_check():
    found = imports_of("grader.catalogue", SOURCES["grader.catalogue"]).running

    assert {target for target in found if covers("grader.checks", target)} == {"grader.checks"}


def test_only_the_oracle_and_the_digest_see_the_reference():
    seeing = {
        module
        for module, source in SOURCES.items()
        if not module.startswith("reference")
        and any(covers("reference", target) for target in imports_of(module, source).running)
    }

    assert {place_of(module) for module in seeing} == {"grader.oracle", "grader.report.environment"}
    assert "reference" in imports_of("grader.report.environment", SOURCES["grader.report.environment"]).running


def test_only_the_commands_pick_a_runner():
    picking = {
        module for module, source in SOURCES.items() if "grader.runners.local" in imports_of(module, source).running
    }

    assert picking == {"grader.cli.check", "grader.cli.selftest", "grader.pytest_entry"}


def test_only_catalogues_and_the_worker_import_by_name():
    by_name = {
        module
        for module, source in SOURCES.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("importlib.import_module", "__import__", "exec")
    }

    ours = {"grader.catalogue", "grader.diagnosis.mistakes"}
    assert by_name - ours == {"grader.worker.loader", "grader.worker.objects"}


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        ("grader.worker.serve", "from grader.oracle.live import Oracle", {"grader.oracle.live"}),
        ("grader.worker.serve", "from ..errors import Outcome", {"grader.errors"}),
        ("grader.checks.check_rope", "import torch", {"torch"}),
        ("grader.checks.check_rope", "from grader import oracle", {"grader.oracle"}),
        ("grader.student.calls", "def ask():\n    import reference.rope", {"reference.rope"}),
        ("grader.session", "from grader.runners.local import LocalRunner", {"grader.runners.local"}),
        ("grader.cli.show", "import bank_loader, tests.bank_loader", {"bank_loader", "tests.bank_loader"}),
        ("grader.plugin", "if TYPE_CHECKING:\n    from grader.session import grade", {"grader.session"}),
        ("reference.norm", "import numpy, grader", {"numpy", "grader"}),
    ],
)
def test_a_forbidden_import_is_seen(module, source, expected):
    assert forbidden(module, source) == expected


def test_a_worker_process_holds_nothing_of_the_verifier():
    program = "import sys, grader.worker.__main__; print(*sys.modules)"

    result = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    loaded = set(result.stdout.split())
    ours = {name for name in loaded if name.startswith(("grader", "reference", "tests"))}
    assert {name for name in ours if not name.startswith(("grader.wire", "grader.worker"))} == {"grader"}
    assert loaded & {"pytest", "pydantic", "rich", "typer"} == set()
    assert "grader.worker.serve" in ours
