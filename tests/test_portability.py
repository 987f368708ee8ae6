"""What students run works on Windows and macOS too, as far as that can be seen on another system."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from importlib import resources
from pathlib import Path

import elsewhere
import pytest
from command_line import PLAIN, environment

from grader.catalogue import all_checks
from grader.cli import init, show, watch
from grader.report import terminal

ROOT = Path(__file__).parents[1]
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in sorted((ROOT / "grader").rglob("*.py"))
}
LINUX_ONLY = ("grader/doctor/", "grader/runners/docker/", "grader/worker/relay.py", "grader/worker/zygote.py")
"""Not on a student's path: the container's side, the process that forks, and what reads /proc for instructors."""

ON_THE_PATH = [path for path in SOURCES if not path.startswith(LINUX_ONLY)]


# -- imports ------------------------------------------------------------------------------------------------------


def imported_at_once(source):
    """Top names of what a module imports while it is being imported: not in a function, not in a branch."""
    found = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Import):
            found |= {alias.name.split(".")[0] for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            found.add((statement.module or "").split(".")[0])
    return found


@pytest.mark.parametrize("path", ON_THE_PATH)
def test_no_module_on_the_students_path_imports_what_only_posix_has(path):
    assert imported_at_once(SOURCES[path]) & set(elsewhere.MODULES) == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import resource", {"resource"}),
        ("from pwd import getpwnam", {"pwd"}),
        ("def later():\n    import pwd", set()),
        ("try:\n    import resource\nexcept ImportError:\n    resource = None", set()),
    ],
)
def test_an_import_that_would_fail_there_is_seen(source, found):
    assert imported_at_once(source) == found


def run_elsewhere(*arguments, cwd, **variables):
    return subprocess.run(
        [sys.executable, elsewhere.__file__, *map(str, arguments)],
        cwd=cwd,
        env=environment(**variables),
        capture_output=True,
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize("encoding", ["cp936", "utf-8"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list", "--lang", "en"], "100 points in "),
        (["explain", "rope.base", "--lang", "zh"], "单独运行：grader check --only rope.base"),
        (["init", "hw", "--lang", "zh"], "hw 中已写入 9 个文件。"),
        (["check", PLAIN, "--only", "rope.base", "--only", "norm.rmsnorm-values", "--lang", "zh"], "得分 2 / 2"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_commands_run_where_python_has_nothing_of_posix(arguments, said, encoding, tmp_path):
    result = run_elsewhere(*arguments, cwd=tmp_path, PYTHONIOENCODING=encoding)

    assert (result.returncode, result.stderr) == (0, b"")
    assert said in result.stdout.decode(encoding)


def test_a_module_that_needs_posix_fails_there(tmp_path):
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import elsewhere\n"
        "elsewhere.import_all(); elsewhere.leave_posix()\n"
        "import grader.doctor.inside"
    )

    result = subprocess.run(
        [sys.executable, "-c", program, str(Path(elsewhere.__file__).parent)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "No module named 'resource'" in result.stderr


# -- text ---------------------------------------------------------------------------------------------------------


def test_every_text_file_is_read_and_written_as_utf_8():
    found = [
        f"{path}:{node.lineno}"
        for path in ON_THE_PATH
        for node in ast.walk(ast.parse(SOURCES[path]))
        if isinstance(node, ast.Call) and leaves_encoding_open(node) and "/proc/" not in ast.unparse(node)
    ]

    assert found == []


def leaves_encoding_open(call):
    """Whether a call opens text in whatever encoding the system prefers."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    keywords = {keyword.arg for keyword in call.keywords}
    if "encoding" in keywords:
        return False
    if name in ("read_text", "write_text"):
        return len(call.args) < (1 if name == "read_text" else 2)
    if name in ("run", "Popen"):
        return "text" in keywords
    if name == "open" and ast.unparse(call.func) not in (
        "os.open",
        "tarfile.open",
        "self._archive.open",
        "zipfile.open",
    ):
        modes = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
        return not any("b" in str(mode) for mode in modes)
    return False


@pytest.mark.parametrize(
    ("source", "left_open"),
    [
        ("path.read_text()", True),
        ("path.read_text('utf-8')", False),
        ("path.write_text(text)", True),
        ("path.write_text(text, 'utf-8')", False),
        ("open(path)", True),
        ("path.open('x')", True),
        ("path.open('xb')", False),
        ("open(path, encoding='utf-8')", False),
        ("subprocess.run(command, text=True)", True),
    ],
)
def test_a_text_file_of_an_unknown_encoding_is_seen(source, left_open):
    assert leaves_encoding_open(ast.parse(source, mode="eval").body) is left_open


def own_words():
    """Every sentence of ours by language, with where it stands."""
    for language in ("en", "zh"):
        for name in (f"{language}.toml", *(("titles.zh.toml", "mistakes.zh.toml") if language == "zh" else ())):
            yield language, name, resources.files("grader.feedback").joinpath(name).read_text("utf-8")
        for module in (init, show, watch, terminal):
            for word, text in module.WORDS[language].items():
                yield language, f"{module.__name__}.{word}", text
    for check, info in all_checks().items():
        yield "en", check, f"{info.title}\n{info.detail}"


@pytest.mark.parametrize(("language", "encoding"), [("en", "ascii"), ("zh", "cp936")])
def test_all_that_the_grader_says_by_itself_can_be_shown_there(language, encoding):
    lost = {
        (where, character)
        for spoken, where, text in own_words()
        if spoken == language
        for character in text
        if not encodable(character, encoding)
    }

    assert lost == set()


def encodable(character, encoding):
    return character.encode(encoding, "ignore") != b""


# -- consoles -----------------------------------------------------------------------------------------------------

NARROW = {
    "cp936": {"PYTHONIOENCODING": "cp936"},
    "ascii": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
"""A Chinese Windows console, and a system without a locale, which Python would otherwise take for UTF-8."""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("console", NARROW)
@pytest.mark.parametrize(
    "arguments",
    [["list"], ["explain", "rope.adjacent-pairs"], ["init", "hw"], ["check", PLAIN, "--only", "rope.base"], ["--help"]],
    ids=lambda arguments: arguments[0],
)
def test_a_narrow_console_is_no_error_and_gets_plain_marks(arguments, console, language, tmp_path):
    options = [] if arguments == ["--help"] else ["--lang", language]
    result = subprocess.run(
        [sys.executable, "-m", "grader", *map(str, arguments), *options],
        cwd=tmp_path,
        env=environment(**NARROW[console]),
        capture_output=True,
        timeout=240,
        check=False,
    )

    output = result.stdout.decode(console)
    assert (result.returncode, result.stderr) == (0, b"")
    if arguments[0] == "check":
        assert output.startswith("ok  1/1  rope.base  ")
    if language == "en" or console == "cp936":
        assert "?" not in output


@pytest.mark.parametrize("console", NARROW)
def test_watching_on_a_narrow_console_ends_well_too(console, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", "check", str(PLAIN), "--only", "rope.base", "--watch", "--lang", "zh"],
        cwd=tmp_path,
        env=environment(**NARROW[console]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    lines = []
    while not lines or b"Ctrl-C" not in lines[-1]:
        lines.append(process.stdout.readline())
        assert lines[-1], "it ended"
    process.send_signal(signal.SIGINT)
    rest, said = process.communicate(timeout=30)

    assert (process.returncode, said) == (0, b"")
    assert lines[0].startswith(b"ok  1/1  rope.base")
    assert os.linesep.encode() in rest
