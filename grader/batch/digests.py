"""What a grade depends on, as digests: so that a resumed run knows what is still true.

* ``base``: the grader's sources apart from the checks, the assignment's limits, the runner with its image, the device
  and the seed. Another base: everything is graded again.
* one a check: the source of its function, everything in its file that is no check (imports, constants, what several
  checks share), and its own settings. Another digest: only this check is run again.
* the submission's own.

What cannot change a verdict is left out: the command line, batch itself, pages, the self-test, messages' texts.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path

import grader.checks
from grader.catalogue import CHECK_FILES, all_checks
from grader.devices import gpus_in, parse
from grader.errors import GraderError
from grader.settings import Settings

_WITHOUT_SAY = (
    *(
        "batch/",
        "cli/",
        "doctor/",
        "selftest/",
        "practice/",
        "feedback/",
        "report/page/",
        "report/summary",
        "intake/bulk/",
    ),
    *("checks/", "assignment.toml", "template.py", "pytest_entry.py", "pytest_mixed.py", "__main__.py"),
)
_PARTS = (".py", ".toml")


@dataclass(frozen=True)
class GraderDigests:
    """What a run's grades depend on besides the submission.

    Attributes:
        checks: of every check that runs, by id.
    """

    base: str
    checks: dict[str, str]


def digests(settings: Settings, *, runner: str, image: str, device: str, seed: int) -> GraderDigests:
    """The digests of a run."""
    values = settings.model_dump(mode="json")
    limits = {name: values[name] for name in ("limits", "docker")}
    base = _digest(core_digest(), json.dumps(limits, sort_keys=True), runner, image, device, str(seed))
    sources = check_sources()
    checks = {
        check: _digest(sources[check], str(points), str(settings.is_hidden(check)), str(settings.hints_for(check)))
        for check, points in (settings.worth if gpus_in(parse(device)) else settings.points).items()
    }
    return GraderDigests(base, {check: checks[check] for check in all_checks() if check in checks})


def assignment_digest(settings: Settings) -> str:
    """Of everything that ``assignment.toml`` says."""
    return _digest(json.dumps(settings.model_dump(mode="json"), sort_keys=True))


@functools.cache
def core_digest() -> str:
    """Of the grader's and the reference's sources, without what has no say in a verdict and without the checks."""
    parts = []
    for package in ("grader", "reference"):
        root = _root(package)
        for file in sorted(root.rglob("*")):
            name = file.relative_to(root).as_posix()
            if file.suffix in _PARTS and not (package == "grader" and name.startswith(_WITHOUT_SAY)):
                parts += [f"{root.name}/{name}", hashlib.sha256(file.read_bytes()).hexdigest()]
    return _digest(*parts)


@functools.cache
def check_sources() -> dict[str, str]:
    """A digest of each check's source, by id."""
    found = {}
    for name in CHECK_FILES:
        file = Path(grader.checks.__path__[0]) / f"{name}.py"
        found.update(digests_of_file(file.read_text("utf-8")))
    return found


def digests_of_file(source: str) -> dict[str, str]:
    """A digest for every check in a file of checks, by id; comments and layout do not count."""
    own: dict[str, str] = {}
    shared: list[str] = []
    for node in ast.parse(source).body:
        id_of_check = _check_id(node)
        if id_of_check is None:
            shared.append(ast.dump(node))
        else:
            own[id_of_check] = ast.dump(node)
    return {check: _digest(dumped, *shared) for check, dumped in own.items()}


def _root(package: str) -> Path:
    """The folder of a package, which is not imported: the reference would bring torch."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise GraderError(f"the package {package} is not installed")
    return Path(found.submodule_search_locations[0])


def _check_id(node: ast.stmt) -> str | None:
    if not isinstance(node, ast.FunctionDef):
        return None
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "check":
            first = decorator.args[0]
            return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
    return None


def _digest(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
