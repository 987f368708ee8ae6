"""What lies around a run changes nothing: the folder, the environment, the encoding, and other people's pytest."""

from __future__ import annotations

import json
import locale
import subprocess
import sys

import bank_loader
import pytest
from command_line import PLAIN, environment

from grader.cli.language import from_locale
from grader.report import json_file

SHADOWS = ("random", "enum", "json", "typing", "torch", "numpy", "pytest", "rich", "typer", "pydantic", "assignment1")


def run(*line, cwd, **variables):
    """A process of this Python; its output as bytes."""
    return subprocess.run(
        [sys.executable, *map(str, line)],
        cwd=cwd,
        env=environment(**variables),
        capture_output=True,
        timeout=240,
        check=False,
    )


def check(*arguments, cwd, **variables):
    return run("-m", "grader", "check", PLAIN, *arguments, cwd=cwd, **variables)


@pytest.fixture
def trap(tmp_path):
    """A folder full of files that Python or pytest would pick up, each of which says so on stderr."""
    said = "import sys; print('TRAPPED by', __file__, file=sys.stderr)\n"
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text(said)
    (tmp_path / "conftest.py").write_text(f"{said}collect_ignore_glob = ['*']\n")
    (tmp_path / "trap_plugin.py").write_text(f"{said}def pytest_collection_modifyitems(items): items.clear()\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\npython_functions = nothing_*\n")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--deselect check_'\n")
    return tmp_path


# -- the folder and the environment ------------------------------------------------------------------------------


def test_files_and_variables_around_a_run_change_nothing(trap, tmp_path_factory):
    quiet = tmp_path_factory.mktemp("quiet")
    options = ("--only", "rope.base", "--only", "norm.rmsnorm-values", "--seed", 5, "--json", "report.json")

    alone = check(*options, cwd=quiet)
    trapped = check(
        *options,
        cwd=trap,
        PYTEST_ADDOPTS="-k nothing --maxfail=1",
        PYTEST_PLUGINS="trap_plugin",
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        PYTHONPATH="",
    )

    reports = [json.loads((folder / "report.json").read_text("utf-8")) | {"timing": None} for folder in (quiet, trap)]
    assert (trapped.returncode, trapped.stderr) == (0, b"")
    assert trapped.stdout == alone.stdout
    assert reports[0] == reports[1]
    assert [result["outcome"] for result in reports[1]["checks"]] == ["pass", "pass"]


def test_the_grader_runs_from_its_own_checkout_too():
    result = run("-m", "grader", "explain", "rope.base", cwd=bank_loader.BANK.parents[1])

    assert (result.returncode, result.stderr) == (0, b"")


# -- encodings and languages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("encoding", ["cp936", "ascii", "latin-1", "utf-16"])
def test_no_encoding_of_the_terminal_fails_a_command(encoding, language, tmp_path):
    result = run("-m", "grader", "list", "--lang", language, cwd=tmp_path, PYTHONIOENCODING=encoding)

    assert (result.returncode, result.stderr) == (0, b"")
    assert "rope.adjacent-pairs" in result.stdout.decode(encoding)


def test_a_run_on_a_chinese_windows_console_loses_no_character(tmp_path):
    result = check("--only", "rope.base", "--lang", "zh", cwd=tmp_path, PYTHONIOENCODING="cp936")

    output = result.stdout.decode("cp936")
    assert (result.returncode, result.stderr) == (0, b"")
    assert output.startswith("ok  1/1  rope.base  apply_rope 使用传入的 base。")
    assert "得分 1 / 1" in output
    assert "?" not in output


def test_a_run_on_an_ascii_terminal_is_plain_ascii(tmp_path):
    result = check("--only", "rope.base", "--lang", "en", cwd=tmp_path, PYTHONIOENCODING="ascii")

    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode("ascii").startswith("ok  1/1  rope.base  apply_rope uses the base")
    assert b"?" not in result.stdout


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_TW.Big5", "LC_ALL": "C"}, "en"),
        ({"LANG": "C", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LC_ALL": "en_US.UTF-8", "GRADER_LANG": "zh"}, "zh"),
        ({"LC_ALL": "", "LANG": "zh_CN"}, "zh"),
    ],
    ids=str,
)
def test_the_language_is_the_environments(variables, language, monkeypatch):
    for name in ("GRADER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert from_locale() == language


@pytest.mark.parametrize(
    ("system", "language"),
    [(("Chinese (Simplified)_China", "936"), "zh"), (("en_US", "UTF-8"), "en"), ((None,) * 2, "en")],
)
def test_without_variables_the_language_is_the_systems(system, language, monkeypatch):
    for name in ("GRADER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(locale, "getlocale", lambda: system)

    assert from_locale() == language


def test_lang_beats_the_environment(tmp_path):
    result = run("-m", "grader", "list", "--lang", "en", cwd=tmp_path, LANG="zh_CN.UTF-8")

    assert b"points in" in result.stdout


# -- a reader that goes away -------------------------------------------------------------------------------------


def test_a_reader_that_goes_away_does_not_stop_the_run(tmp_path):
    line = [sys.executable, "-m", "grader", "check", PLAIN, "--only", "4.4", "--json", tmp_path / "report.json"]

    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    code = process.wait(timeout=240)

    report = json_file.from_json((tmp_path / "report.json").read_text("utf-8"))
    assert (code, said) == (0, b"")
    assert report.score == report.max_score


# -- with pytest -------------------------------------------------------------------------------------------------


def checks_by_pytest(submission, *options, cwd):
    line = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "grader.checks", "--submission", submission)
    return run(*line, *options, cwd=cwd)


def test_the_checks_run_under_pytest_and_pass(tmp_path):
    result = checks_by_pytest(PLAIN, "-k", "check_adjacent_pairs", "--grader-seed", 5, cwd=tmp_path)

    assert result.returncode == 0, result.stdout.decode()
    assert b"2 passed" in result.stdout


def test_the_checks_run_under_pytest_and_fail(tmp_path):
    (entry,) = [entry for entry in bank_loader.entries("wrong") if entry.name == "rope_sign"]
    for path, text in entry.submission().files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")

    result = checks_by_pytest(tmp_path, "-k", "check_adjacent_pairs", cwd=tmp_path)
    output = result.stdout.decode()

    assert result.returncode == 1
    assert "2 failed" in output
    assert "apply_rope differs at [B, T, H, d]" in output
    assert "CheckFailure" not in output


def test_pytest_says_when_there_is_no_such_submission(tmp_path):
    result = checks_by_pytest("nowhere", cwd=tmp_path)

    assert result.returncode == 4
    assert b"no such file or folder: nowhere" in result.stderr


def test_in_other_projects_the_plugin_imports_nothing_heavy(tmp_path):
    (tmp_path / "test_theirs.py").write_text(
        "import sys\n"
        "def test_what_is_loaded():\n"
        "    assert 'grader.pytest_entry' in sys.modules\n"
        "    ours = {name for name in sys.modules if name.startswith('grader')}\n"
        "    assert ours == {'grader', 'grader.pytest_entry'}\n"
        "    assert not {'torch', 'reference', 'pydantic'} & set(sys.modules)\n"
    )

    result = run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)

    assert result.returncode == 0, result.stdout.decode()
