"""``--device`` on the command line, on a machine without a GPU or with a driver that is made up."""

from __future__ import annotations

import io
import re

import pytest
from command_line import PLAIN, Checked, grader
from made_reports import check_result, finding, make_report
from rich.console import Console

from grader import settings as course
from grader.catalogue import all_checks
from grader.cli import batch, check
from grader.errors import GraderError, Outcome, UsageError
from grader.exports import told
from grader.report.page.render import to_html
from grader.report.student_view import for_students
from grader.report.terminal import print_report
from grader.runners import gpus
from grader.runners.gpus import Gpu
from grader.runners.leased import LeasedRunner
from grader.runners.local import LocalRunner


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(gpus, "visible", lambda environment=None: [])


@pytest.fixture
def two_gpus(monkeypatch):
    monkeypatch.setattr(gpus, "visible", lambda environment=None: [Gpu("0"), Gpu("1")])


# -- no GPU --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("device", ["cuda", "cuda:0", "cpu,cuda"])
def test_asking_for_a_gpu_that_is_not_there_is_no_grade(device, monkeypatch):
    monkeypatch.setattr(check, "runner_of", lambda *_: pytest.fail("nothing may be started"))

    with pytest.raises(GraderError, match=r"^no GPU can be used here, and --device asks for cuda(:0)?$"):
        Checked(device=device)


def test_that_is_exit_code_three_and_one_sentence(tmp_path):
    alone = {"PATH": str(tmp_path), "CUDA_VISIBLE_DEVICES": ""}
    for command in (["check", PLAIN], ["batch", PLAIN.parent, "-o", tmp_path / "run"]):
        result = grader(*command, "--device", "cuda", extra_environment=alone)

        assert result.returncode == 3
        assert re.fullmatch(r"not graded: no GPU can be used here[^\n]*\n", result.stderr)
        assert result.stdout == ""
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("two_gpus")
def test_so_is_a_pytorch_that_has_no_cuda(monkeypatch):
    monkeypatch.setattr(gpus.metadata, "version", lambda name: "2.13.0+cpu")

    with pytest.raises(GraderError, match="build for the CPU alone"):
        Checked(device="cuda")


def test_on_a_cpu_the_checks_of_devices_are_shown_as_skipped_and_cost_nothing(warm_runner, monkeypatch):
    monkeypatch.setattr(check, "LocalRunner", lambda limits: warm_runner)

    ran = Checked(only=["rope.base", "device"])
    alone = Checked(only=["device"])

    assert "Score 1 of 1 " in ran.output
    assert "1 of 1 checks pass" in ran.output
    assert "6 checks need a GPU and were skipped (no device)" in ran.output
    assert (ran.code, alone.code) == (0, 0)
    assert "Score 0 of 0 " in alone.output


# -- a GPU ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("two_gpus")
def test_each_device_has_a_runner_of_its_own(settings, monkeypatch):
    monkeypatch.setattr(gpus, "torch_needed", lambda: None)

    cpu, gpu = (check.runner_of("local", settings, device) for device in ("cpu", "cuda:1"))

    assert isinstance(cpu, LocalRunner)
    assert cpu.limits.memory > 0
    assert isinstance(gpu, LeasedRunner)
    assert gpu.limits.memory == 0  # CUDA maps more than any limit of addresses


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize(
    ("device", "jobs", "expected"),
    [("cpu", 16, 16), ("cuda", 16, 2), ("cuda:1", 16, 1), ("cpu,cuda", 16, 4), ("cpu,cuda:1", 16, 2), ("cuda", 1, 1)],
)
def test_a_class_takes_no_more_places_than_gpus_can_serve(device, jobs, expected):
    fields = dict.fromkeys(batch.BatchRequest.__dataclass_fields__)
    request = batch.BatchRequest(**{**fields, "device": device, "jobs": jobs})

    assert batch._places(request, 100) == expected


def test_watching_is_for_the_cpu():
    result = grader("check", PLAIN, "--watch", "--device", "cuda")

    assert result.returncode == 2
    assert "--watch runs on the CPU" in result.stderr


def test_the_terminal_says_how_a_check_ended_on_each_device():
    ends = {"cpu": Outcome.PASS, "cuda": Outcome.FAIL}
    failed = check_result("rope.base", Outcome.FAIL, finding=finding("It differs.", device="cuda"), devices=ends)
    stream = io.StringIO()

    print_report(Console(file=stream, width=200), make_report(failed, device="cpu,cuda"), "en")

    assert "cpu: pass; cuda: wrong answer" in stream.getvalue()


# -- settings ------------------------------------------------------------------------------------------------------

_HEAD = '[assignment]\ntitle = "A"\n[points]\n"rope.base" = 3\n'


def test_points_of_devices_stand_beside_the_others(tmp_path):
    file = tmp_path / "course.toml"
    file.write_text(_HEAD + '[device_points]\n"device.output" = 4\n', "utf-8")

    loaded = course.load(file, all_checks())

    assert loaded.worth == {"rope.base": 3, "device.output": 4}
    assert (loaded.most(["cpu"]), loaded.most(["cuda"]), loaded.most(["cpu", "cuda"])) == (3, 7, 7)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('"device.output" = 1', r'"points\.device\.output" belongs into \[device_points\]'),
        ('[device_points]\n"rope.dtype" = 1', r'"device_points\.rope\.dtype" belongs into \[points\]'),
        ('[device_points]\n"device.outptu" = 1', r'unknown check "device_points\.device\.outptu"; did you mean'),
    ],
)
def test_a_check_in_the_wrong_table_is_named(lines, said, tmp_path):
    file = tmp_path / "course.toml"
    file.write_text(_HEAD + lines + "\n", "utf-8")

    with pytest.raises(UsageError, match=said):
        course.load(file, all_checks())


# -- what else is shown --------------------------------------------------------------------------------------------


def test_pages_and_exports_say_it_in_both_languages():
    ends = {"cpu": Outcome.PASS, "cuda": Outcome.FAIL}
    failed = check_result("rope.base", Outcome.FAIL, finding=finding("It differs.", device="cuda"), devices=ends)
    report = make_report(failed, device="cpu,cuda")

    page = to_html(report)

    for language, said in (("en", "cpu: pass; cuda: wrong answer"), ("zh", "cpu：通过；cuda：答案不对")):
        assert said in page
        assert said in told.checks(report, language)[0].details


def test_a_page_counts_no_check_that_had_no_device():
    skipped = check_result("device.output", Outcome.SKIPPED, max_points=0)

    page = to_html(make_report(check_result("rope.base"), skipped))

    assert "Every check passes." in page
    assert "1 checks need a GPU and were skipped (no device)" in page


def test_a_hidden_check_says_no_more_on_two_devices():
    ends = {"cpu": Outcome.PASS, "cuda": Outcome.FAIL}
    failed = finding("The secret 1.2345.", device="cuda")
    report = make_report(check_result("rope.base", Outcome.FAIL, hidden=True, finding=failed, devices=ends))

    (shown,) = for_students(report).checks

    assert shown.finding is None
    assert "1.2345" not in to_html(report)
