"""Which files a change can reach: what the import statements say."""

from __future__ import annotations

import bank_loader
import notebooks
import pytest

from grader.contract import MODULES
from grader.intake.importers import changed_between, module_name, reached_from
from grader.intake.read import read

BASE = bank_loader.base().files


def modules(paths):
    return {module_name(path) for path in paths}


@pytest.mark.parametrize(
    ("changed", "reached"),
    [
        ("rope", {"rope", "attention", "block"}),
        ("norm", {"norm", "block"}),
        ("ffn", {"ffn", "block"}),
        ("attention", {"attention", "block"}),
        ("block", {"block"}),
        ("kv_cache", {"kv_cache"}),
    ],
)
def test_importers_of_a_changed_module_are_reached_through_others_too(changed, reached):
    found = reached_from({f"assignment1/{changed}.py"}, BASE)

    assert modules(found) == {f"assignment1.{name}" for name in reached}


@pytest.mark.parametrize(
    "statement",
    [
        "import assignment1.tables",
        "import assignment1.tables as t",
        "from assignment1 import tables",
        "from assignment1.tables import cos",
        "from .tables import cos",
        "from . import tables",
        "from .. import assignment1\nfrom ..assignment1.tables import cos",
        "def later():\n    from . import tables",
        "try:\n    from .tables import cos\nexcept ImportError:\n    pass",
    ],
)
def test_every_form_of_an_import_is_seen(statement):
    files = {"assignment1/tables.py": "", "assignment1/rope.py": statement, "assignment1/norm.py": "import torch"}

    assert reached_from({"assignment1/tables.py"}, files) == {"assignment1/tables.py", "assignment1/rope.py"}


def test_the_package_itself_and_helpers_beside_it_reach_what_they_run_before():
    files = {
        "assignment1/__init__.py": "",
        "assignment1/rope.py": "import helper",
        "assignment1/ffn.py": "",
        "helper.py": "",
    }

    assert reached_from({"helper.py"}, files) == {"helper.py", "assignment1/rope.py"}
    assert reached_from({"assignment1/__init__.py"}, files) == set(files) - {"helper.py"}


def test_a_package_of_modules_is_known_by_its_folder():
    files = {"assignment1/rope/__init__.py": "from .tables import cos", "assignment1/rope/tables.py": "import math"}

    assert modules(reached_from({"assignment1/rope/tables.py"}, files)) == {
        "assignment1.rope",
        "assignment1.rope.tables",
    }


def test_a_cell_of_a_notebook_reaches_every_module_of_the_contract(tmp_path):
    source = "def apply_rope(x, positions, base=10000.0):\n    return x"
    files = read(notebooks.write(tmp_path / "hw.ipynb", source)).files

    reached = modules(reached_from({"assignment1/hw/cell_1.py"}, files))

    assert {f"assignment1.{name}" for name in MODULES} <= reached


@pytest.mark.parametrize("text", ["def (", "\0", "x = " + "(" * 5000, "'\\d'\nimport warnings"])
def test_a_file_that_does_not_parse_stops_nothing(text):
    files = {"assignment1/rope.py": text, "assignment1/attention.py": "from .rope import apply_rope"}

    assert reached_from({"assignment1/rope.py"}, files) == set(files)


def test_a_circle_of_imports_ends():
    files = {"assignment1/a.py": "from . import b", "assignment1/b.py": "from . import a", "assignment1/c.py": ""}

    assert reached_from({"assignment1/a.py"}, files) == {"assignment1/a.py", "assignment1/b.py"}


def test_new_gone_and_other_texts_are_changes():
    assert changed_between({"a": "1", "b": "1", "c": "1"}, {"a": "1", "b": "2", "d": "1"}) == {"b", "c", "d"}
