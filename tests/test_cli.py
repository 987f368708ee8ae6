"""The command line: what it prints and what it writes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import bank_loader
import notebooks
import pytest
from command_line import PLAIN, Checked, environment, grader

from grader.catalogue import all_checks
from grader.cli import check as command
from grader.cli.select import matching
from grader.errors import UsageError
from grader.report import json_file
from grader.report.page.render import to_html

HEAVY = ("torch", "docker", "nbformat", "numpy", "pytest", "reference", "grader.session", "grader.oracle.live")
CHECKS = all_checks()


@pytest.fixture
def checked(warm_runner, monkeypatch):
    """A function: run ``grader check`` here, on the warm runner."""
    monkeypatch.setattr(command, "LocalRunner", lambda limits, **options: warm_runner)
    return Checked


# -- commands that need no torch ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--help"], "Grade one submission and say why."),
        (["check", "--help"], "--fail-under"),
        (["list"], "points in"),
        (["explain", "rope.adjacent-pairs"], "10.4830"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_a_command_that_runs_nothing_imports_nothing_heavy(arguments, said):
    program = (
        "import os, sys; sys.argv[0] = 'grader'\n"
        "leave = os._exit\n"
        "def look(code): print('LOADED', *sys.modules, flush=True); leave(code)\n"
        "os._exit = look\n"
        "from grader.cli import main; main()"
    )

    result = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment(PYTHONIOENCODING="utf-8"),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )

    output, _, loaded = result.stdout.partition("LOADED")
    assert (result.returncode, result.stderr) == (0, "")
    assert said in output
    assert "grader.cli.app" in loaded.split()
    assert set(loaded.split()) & set(HEAVY) == set()


def test_list_has_one_line_a_check_and_the_sum():
    lines = grader("list", "--lang", "en").stdout.splitlines()

    assert [line.split()[1] for line in lines[1:-2]] == list(CHECKS)
    assert lines[-2].startswith("100 points in ")
    assert lines[-1].startswith("with a GPU (--device cuda or cpu,cuda) 10 more in 6 checks")


def test_explain_says_points_promise_section_and_rule():
    output = grader("explain", "rope.adjacent-pairs", "--lang", "en").stdout

    assert output.startswith("rope.adjacent-pairs  (points: 2)\nRoPE rotates the pairs")
    assert "\nSection 4.4: RoPE\n" in output
    assert "[-1.1426, 1.9221, 2.9599, 4.0298]" in output
    assert output.endswith("grader check --only rope.adjacent-pairs\n")


def test_explain_in_chinese_names_the_chapters_section_and_gives_the_rule():
    output = grader("explain", "rope.adjacent-pairs", "--lang", "zh").stdout

    assert output.startswith("rope.adjacent-pairs  (2 分)\nRoPE 把相邻配对")
    assert "第 4.4 节：RoPE 逐步推导" in output
    assert "k = [4, 3, 2, 1] 在位置 3 -> [-4.3833, -2.4055, 1.9691, 1.0595]；两者的内积是 10.4830" in output
    assert "their dot product" not in output


# -- checking ----------------------------------------------------------------------------------------------------


def test_check_prints_a_line_a_check_and_the_score_and_writes_the_report(tmp_path):
    result = grader("check", PLAIN, "--only", "rope", "--json", tmp_path / "report.json", "--lang", "en", cwd=tmp_path)

    rope = [check for check in CHECKS if check.startswith("rope.")]
    report = json_file.from_json((tmp_path / "report.json").read_text("utf-8"))
    assert (result.returncode, result.stderr) == (0, "")
    assert [line.split()[2] for line in result.stdout.splitlines()[: len(rope)]] == rope
    assert f"Score {report.score} of {report.max_score} of the selected checks" in result.stdout
    assert "\x1b" not in result.stdout
    assert [check.id for check in report.checks] == rope
    assert report.score == report.max_score > 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_check_writes_the_page_in_the_readers_language(tmp_path, checked, language):
    checked(html=tmp_path / "page.html", json=tmp_path / "report.json", language=language)

    report = json_file.from_json((tmp_path / "report.json").read_text("utf-8"))
    assert (tmp_path / "page.html").read_text("utf-8") == to_html(report, language=language)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["page.html", "report.json"]


def test_page_and_report_cannot_be_one_file(tmp_path, checked):
    with pytest.raises(UsageError, match="--json and --html name the same file"):
        checked(html=tmp_path / "x", json=tmp_path / "x")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("inside", ["", "assignment1", "notes/today"])
def test_without_a_path_the_submission_is_found_here_or_above(inside, submission_folder, checked, monkeypatch):
    here = submission_folder / inside
    here.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(here)

    assert checked(path=None).code == 0


def test_without_a_path_and_without_a_submission_it_says_so(tmp_path, checked, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match="no assignment1/ folder here or above"):
        checked(path=None)


@pytest.mark.parametrize("form", ["zip", "gztar", "py", "ipynb"])
def test_every_form_of_a_submission_is_graded(tmp_path, checked, form):
    rope = (PLAIN / "assignment1" / "rope.py").read_text("utf-8")
    if form == "py":
        path = tmp_path / "rope.py"
        path.write_text(rope, "utf-8")
    elif form == "ipynb":
        path = notebooks.write(tmp_path / "hw.ipynb", rope)
    else:
        path = Path(shutil.make_archive(str(tmp_path / "mine"), form, PLAIN))

    result = checked(path=path, json=tmp_path / "report.json")

    report = json_file.from_json((tmp_path / "report.json").read_text("utf-8"))
    assert (result.code, report.score) == (0, report.max_score)
    assert report.submission.name == {"zip": "mine", "gztar": "mine"}.get(form, path.name)


def test_one_seed_gives_the_same_bytes_outside_timing(tmp_path, checked):
    texts = []
    for name in ("first", "second"):
        checked(path=bank_loader.BANK / "demo", json=tmp_path / name, only=["norm", "rope"], seed=11)
        texts.append({**json.loads((tmp_path / name).read_text("utf-8")), "timing": None})

    assert json.dumps(texts[0]) == json.dumps(texts[1])
    assert any(check["finding"] for check in texts[0]["checks"])


def test_without_a_seed_every_run_draws_another(tmp_path, checked):
    seeds = set()
    for name in ("first", "second"):
        checked(json=tmp_path / name, seed=None)
        seeds.add(json.loads((tmp_path / name).read_text("utf-8"))["seed"])

    assert len(seeds) == 2


@pytest.mark.parametrize(("fail_under", "code"), [(None, 0), (0, 0), (1, 0), (2, 1), (100, 1)])
def test_fail_under_is_about_the_score(fail_under, code, checked):
    assert checked(fail_under=fail_under).code == code


def test_a_low_score_alone_is_no_failure(tmp_path, checked):
    (tmp_path / "assignment1").mkdir()
    (tmp_path / "assignment1" / "rope.py").write_text("")

    run = checked(path=tmp_path)

    assert run.code == 0
    assert "Score 0 of 1" in run.output


# -- --only ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("patterns", "wanted"),
    [
        (["rope.base"], {"rope.base"}),
        (["rope.base", "gqa.base", "rope.base"], {"rope.base", "gqa.base"}),
        (["cache"], {check for check in CHECKS if check.startswith("cache.")}),
        (["*.base"], {"rope.base", "gqa.base"}),
        (["4.6"], {check for check, info in CHECKS.items() if info.section == "4.6"}),
        (["§4.6"], {check for check, info in CHECKS.items() if info.section == "4.6"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",  # a set has another order in every process
)
def test_only_takes_an_id_an_area_a_pattern_or_a_section(patterns, wanted):
    found = matching(patterns, CHECKS)

    assert set(found) == wanted
    assert len(found) == len(wanted)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("rope.adjacent-pair", "rope.adjacent-pairs"),
        ("ropee", "rope"),
        ("4.8", "4."),
        ("gqa.cache-head", "gqa.cache-heads"),
    ],
)
def test_an_unknown_check_is_answered_with_what_was_meant(given, meant):
    with pytest.raises(UsageError, match=f"no check is called {given}; did you mean {meant}"):
        matching([given], CHECKS)


def test_nothing_near_is_no_guess():
    with pytest.raises(UsageError, match=r"no check is called zzzz \(`grader list` shows all\)"):
        matching(["rope.base", "zzzz"], CHECKS)


# -- installed -------------------------------------------------------------------------------------------------


def test_the_scripts_folder_has_the_same_command():
    script = shutil.which("grader", path=Path(sys.executable).parent)

    result = subprocess.run([script, "explain", "rope.base"], env=environment(), capture_output=True, check=False)

    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.startswith(b"rope.base")
