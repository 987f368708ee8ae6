"""A kit in a student's hands: the commands, what they say, and what they refuse."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import bank_loader
import pytest
from command_line import environment
from kit_course import HIDDEN, PUBLIC, SEED, assignment
from mistaken_texts import HALF_SPLIT

from grader import settings
from grader.catalogue import all_checks
from grader.errors import UsageError
from grader.kit import build
from grader.report.models import Report
from grader.report.terminal import counted
from grader.session import grade


def in_kit(kit: Path, *arguments: object, folder: Path | None = None, module: str = "grader"):
    """``python -m grader`` in a kit that was only unzipped."""
    program = f"""
import runpy, sys
sys.path[:] = [{str(kit)!r}, *sys.path]
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
sys.argv[0] = {module!r}
runpy.run_module({module!r}, run_name="__main__", alter_sys=True)
"""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=folder or kit,
        env=environment(PYTHONIOENCODING="utf-8", PYTHONPATH=str(kit)),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="module")
def wrong(tmp_path_factory, kit) -> Path:
    """A folder with half-split RoPE."""
    folder = tmp_path_factory.mktemp("wrong")
    for path, text in bank_loader.base().files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text + ("\n\n" + HALF_SPLIT if path.endswith("rope.py") else ""), "utf-8")
    return folder


def test_a_right_submission_passes_and_the_last_line_says_what_is_hidden(kit):
    result = in_kit(kit, "check", bank_loader.BANK / "correct" / "plain", "--lang", "en")

    assert result.returncode == 0, result.stderr
    last = f"{len(PUBLIC)} of {len(PUBLIC)} public checks pass; {len(HIDDEN)} more run only at grading - seed {SEED}"
    assert result.stdout.splitlines()[-1] == last


def test_a_mistake_is_named_in_chinese_and_written_as_the_live_grader_writes_it(kit, wrong, course, warm_runner):
    target = wrong / "report.json"

    result = in_kit(kit, "check", wrong, "--json", target, "--html", wrong / "page.html", "--lang", "zh")

    loaded = settings.load(course, all_checks())
    submission = bank_loader.SubmissionFiles(
        "wrong",
        {
            path: text + ("\n\n" + HALF_SPLIT if path.endswith("rope.py") else "")
            for path, text in bank_loader.base().files.items()
        },
    )
    live = grade(submission, warm_runner, loaded, seed=SEED, selected=PUBLIC)
    report = json.loads(target.read_text("utf-8"))
    assert result.returncode == 0, result.stderr
    assert "rope.half_split" in result.stdout
    assert f"另有 {len(HIDDEN)} 项仅在正式评分时运行" in result.stdout.splitlines()[-1]
    assert report["mistakes"] == [one.model_dump(mode="json") for one in live.mistakes]
    assert [(check["id"], check["outcome"], check["points"]) for check in report["checks"]] == [
        (check.id, check.outcome.value, check.points) for check in live.checks
    ]
    assert [check["finding"] and check["finding"]["text"] for check in report["checks"]] == [
        check.finding and check.finding.text for check in live.checks
    ]
    assert report["only_at_grading"] == len(HIDDEN)
    assert "<svg" in (wrong / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["check", "--seed", 7], f"this kit holds the answers for seed {SEED} only, not for 7; run without a seed"),
        (["check", "--runner", "docker"], "a student kit runs submissions with the local runner, not with docker"),
        (["check", "--only", "ffn.swiglu-gate"], "ffn.swiglu-gate"),
        (["explain", "gqa.given-positions"], "gqa.given-positions"),
        (["selftest"], "No such command"),
        (["kit", "build", "-o", "again"], "No such command"),
        (["image", "build"], "No such command"),
    ],
)
def test_what_a_kit_does_not_have_is_refused(kit, arguments, sentence):
    result = in_kit(kit, *arguments)

    assert result.returncode == 2
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


def test_the_kits_own_seed_may_be_given(kit):
    result = in_kit(kit, "check", bank_loader.BANK / "correct" / "plain", "--only", "rope.base", "--seed", SEED)

    assert result.returncode == 0, result.stderr


def test_list_shows_the_public_checks_only(kit):
    listed = in_kit(kit, "list").stdout

    assert [check for check in PUBLIC if check not in listed] == []
    assert [check for check in HIDDEN if check in listed] == []


def test_init_writes_the_template(kit, tmp_path):
    assert in_kit(kit, "init", tmp_path / "hw").returncode == 0
    assert (tmp_path / "hw" / "assignment1" / "rope.py").is_file()


def test_live_objects_are_graded(kit, tmp_path):
    (tmp_path / "try_it.py").write_text(
        "import grader\n"
        "def apply_rope(x, positions, base=10000.0):\n    return x\n"
        "print(grader.check(apply_rope=apply_rope))\n",
        "utf-8",
    )

    result = in_kit(kit, module="try_it", folder=tmp_path)

    assert result.returncode == 0, result.stderr
    assert "rope.adjacent-pairs" in result.stdout


@pytest.mark.parametrize("file", ["key.json", "key.safetensors.gz"])
def test_a_damaged_key_is_no_students_zero(kit, tmp_path, file):
    import shutil

    broken = tmp_path / "kit"
    shutil.copytree(kit, broken)
    (broken / "grader" / "key" / file).write_bytes(b"{")

    result = in_kit(broken, "check", bank_loader.BANK / "correct" / "plain")

    assert result.returncode == 3
    assert "this kit is damaged, unpack it again" in result.stderr


def test_without_hidden_checks_nothing_is_said_of_them():
    for language in ("en", "zh"):
        said = counted(Report.model_construct(only_at_grading=0), 3, 4, language)

        assert "grading" not in said
        assert "评分" not in said


def test_a_kit_is_never_written_over_something(tmp_path, course):
    (tmp_path / "kit").mkdir()

    with pytest.raises(UsageError, match="is there already"):
        build.require_free(tmp_path / "kit")
    with pytest.raises(UsageError, match="no such folder for the kit"):
        build.require_free(tmp_path / "none" / "kit")


def test_a_course_that_hides_everything_has_no_kit(tmp_path):
    loaded = settings.load(assignment(tmp_path, [], ["rope.base"]), all_checks())

    with pytest.raises(UsageError, match="hides every check"):
        build.build(tmp_path / "kit", loaded, SEED, 1, lambda check, done, total: None)
