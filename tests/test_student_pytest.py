"""``pytest`` in a folder that ``grader init`` made."""

from __future__ import annotations

import subprocess
import sys

import bank_loader
import pytest
from command_line import environment

from grader import template
from grader.catalogue import all_checks
from grader.devices import needs_gpu


@pytest.fixture
def homework(tmp_path):
    """The template's folder with a right submission in it."""
    template.write(tmp_path)
    for path, text in bank_loader.base().files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path


def run_pytest(folder, *options, **variables):
    line = [sys.executable, "-I", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    return subprocess.run(
        line,
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )


def test_pytest_alone_runs_every_check_on_this_folder(homework):
    result = run_pytest(homework)

    cases = sum(len(info.cases) or 1 for check, info in all_checks().items() if not needs_gpu(check))
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-1].startswith(f"{cases} passed in ")


def test_a_mistake_shows_its_sentence_and_the_students_own_line(homework):
    rope = homework / "assignment1" / "rope.py"
    rope.write_text(rope.read_text("utf-8") + "\n\ndef apply_rope(x, positions, base=10000.0):\n    return x / 'two'\n")

    result = run_pytest(homework, "-k", "adjacent_pairs", PYTHONIOENCODING="utf-8")

    assert result.returncode == 1
    assert "rope.adjacent-pairs (section 4.4): RoPE rotates the pairs" in result.stdout
    assert "apply_rope raised TypeError" in result.stdout
    assert "in apply_rope: return x / 'two'" in result.stdout
    assert "CheckFailure" not in result.stdout
    assert "grader/student" not in result.stdout


def test_the_untouched_template_fails_with_what_is_not_written_yet(tmp_path):
    template.write(tmp_path)

    result = run_pytest(tmp_path, "-k", "adjacent_pairs")

    assert result.returncode == 1
    assert "apply_rope is not implemented yet: section 4.4" in result.stdout


def test_tests_of_their_own_run_by_their_path_and_start_no_grading(homework):
    (homework / "tests").mkdir()
    (homework / "tests" / "test_mine.py").write_text(
        "import sys\ndef test_mine():\n    assert 'torch' not in sys.modules\n"
    )

    result = run_pytest(homework, "tests")

    assert result.returncode == 0, result.stdout
    assert "1 passed" in result.stdout


def test_tests_of_their_own_run_beside_the_checks(homework):
    (homework / "tests").mkdir()
    (homework / "tests" / "test_mine.py").write_text(
        "import pytest\n"
        "def test_mine(): pass\n"
        "@pytest.mark.parametrize('case', [1, 2])\n"
        "def test_mine_that_fails(case): assert case == 1\n"
    )

    result = run_pytest(homework, "grader.checks", "tests", "-k", "mine or adjacent_pairs")

    assert result.returncode == 1
    assert "1 failed, 4 passed" in result.stdout
    assert "assert 2 == 1" in result.stdout


def test_the_command_line_beats_the_file(homework, tmp_path_factory):
    result = run_pytest(homework, "--submission", tmp_path_factory.mktemp("empty"), "-k", "adjacent_pairs")

    assert result.returncode == 4
    assert "no assignment1/ folder" in result.stderr
