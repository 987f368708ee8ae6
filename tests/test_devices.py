"""What ``--device`` may say, and a report that several devices share."""

from __future__ import annotations

import pytest
from made_reports import check_result, finding, make_report, mistake

from grader import devices
from grader.catalogue import all_checks
from grader.errors import EARNING, Outcome, UsageError
from grader.report.devices import on_all_devices
from grader.report.models import Timing

PASS, FAIL, CARRIED, SKIPPED = Outcome.PASS, Outcome.FAIL, Outcome.CARRIED_FORWARD, Outcome.SKIPPED


def merged(**by_device):
    """One check's merged result, from an outcome a device; ``cuda`` stands for the GPU."""
    return merged_report(
        **{device: [check_result("rope.base", outcome)] for device, outcome in by_device.items()}
    ).checks[0]


def merged_report(**by_device):
    return on_all_devices([make_report(*checks, device=device) for device, checks in by_device.items()])


# -- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("cpu", ("cpu",)),
        ("cuda", ("cuda",)),
        ("cuda:0", ("cuda:0",)),
        ("cuda:12", ("cuda:12",)),
        ("cpu,cuda", ("cpu", "cuda")),
        ("cuda:1, cpu", ("cuda:1", "cpu")),
    ],
)
def test_devices_are_named_as_in_torch(given, expected):
    assert devices.parse(given) == expected
    assert devices.parse(devices.spelled(expected)) == expected


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("", "''"),
        ("tpu", "'tpu'"),
        ("cuda:", "'cuda:'"),
        ("cuda:-1", "'cuda:-1'"),
        ("cuda:01", "'cuda:01'"),
        ("cuda:1٢", "cuda:1"),
        ("CPU", "'CPU'"),
        ("cpu,", "''"),
        ("cpu,cpu", "twice"),
        ("cuda,cuda", "twice"),
        ("cuda:0,cuda:1", "several GPUs"),
    ],
)
def test_anything_else_is_refused_by_its_name(given, named):
    with pytest.raises(UsageError) as error:
        devices.parse(given)

    assert named in str(error.value)


def test_a_worker_sees_its_gpu_as_the_first():
    assert [devices.in_worker(name) for name in ("cuda", "cuda:0", "cuda:7", "cpu")] == ["cuda:0"] * 3 + ["cpu"]
    assert [devices.number_of(name) for name in ("cuda", "cuda:0", "cuda:7")] == [None, 0, 7]


def test_exactly_the_checks_of_the_area_need_a_gpu():
    assert [check for check in all_checks() if devices.needs_gpu(check)] == [
        "device.output",
        "device.tables",
        "device.module-to",
        "device.no-round-trip",
        "device.positions",
        "device.defaults",
    ]


# -- a check on several devices ------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [*Outcome], ids=str)
def test_a_check_passes_only_where_no_device_objects(other):
    for check in (merged(cpu=PASS, cuda=other), merged(cpu=other, cuda=PASS)):
        assert (check.outcome in EARNING) == (other in (*EARNING, SKIPPED))
        assert check.points == (2 if other in (*EARNING, SKIPPED) else 0)


@pytest.mark.parametrize(
    ("cpu", "cuda", "expected"),
    [
        (PASS, PASS, PASS),
        (PASS, SKIPPED, PASS),
        (SKIPPED, PASS, PASS),
        (SKIPPED, SKIPPED, SKIPPED),
        (SKIPPED, FAIL, FAIL),
        (PASS, CARRIED, CARRIED),
        (CARRIED, SKIPPED, CARRIED),
        (CARRIED, FAIL, FAIL),
        (FAIL, Outcome.TIMEOUT, FAIL),
        (Outcome.OOM, FAIL, Outcome.OOM),
        (Outcome.BLOCKED, PASS, Outcome.BLOCKED),
        (Outcome.BLOCKED, FAIL, FAIL),  # it says more
        (FAIL, Outcome.GRADER_ERROR, Outcome.GRADER_ERROR),
        (Outcome.NOT_RUN, FAIL, Outcome.NOT_RUN),
    ],
)
def test_the_first_device_that_objects_decides(cpu, cuda, expected):
    check = merged(cpu=cpu, cuda=cuda)

    assert check.outcome is expected
    assert check.devices == {"cpu": cpu, "cuda": cuda}


def test_the_finding_is_that_of_the_device_that_decides_and_says_so():
    on_cpu = check_result("rope.base", FAIL, finding=finding("On the CPU."))
    on_gpu = check_result("rope.base", FAIL, finding=finding("On the GPU."))
    passed = check_result("rope.base")

    both = merged_report(cpu=[on_cpu], cuda=[on_gpu]).checks[0]
    one = merged_report(cpu=[passed], cuda=[on_gpu]).checks[0]

    assert (both.finding.text["en"], both.finding.device) == ("On the CPU.", "cpu")
    assert (one.finding.text["en"], one.finding.device) == ("On the GPU.", "cuda")


def test_what_only_a_gpu_can_show_is_worth_its_points_on_one():
    skipped = check_result("device.output", SKIPPED, max_points=0)
    checks = [check_result("rope.base")]

    report = merged_report(cpu=[*checks, skipped], cuda=[*checks, check_result("device.output", max_points=3)])
    wrong = merged_report(cpu=[*checks, skipped], cuda=[*checks, check_result("device.output", FAIL, max_points=3)])

    assert (report.score, report.max_score) == (5, 5)
    assert (wrong.score, wrong.max_score) == (2, 5)


def test_a_report_of_one_device_is_left_alone():
    report = make_report(check_result("rope.base", FAIL, finding=finding()), device="cuda")

    assert on_all_devices([report]) is report


# -- the rest of a report ------------------------------------------------------------------------------------------


def test_a_mistake_is_named_once_with_the_checks_that_show_it():
    half = finding(mistakes=["rope.half_split"])
    sign = finding(mistakes=["rope.sign"])
    cpu = make_report(
        check_result("rope.base", FAIL, finding=half),
        check_result("rope.dtype"),
        mistakes=[mistake("rope.half_split", "rope.base")],
    )
    gpu = make_report(
        check_result("rope.base", FAIL, finding=sign),
        check_result("rope.dtype", FAIL, finding=half),
        device="cuda",
        mistakes=[mistake("rope.sign", "rope.base"), mistake("rope.half_split", "rope.dtype")],
    )

    report = on_all_devices([cpu, gpu])

    assert [(one.id, one.checks) for one in report.mistakes] == [("rope.half_split", ["rope.base", "rope.dtype"])]


def test_one_device_without_a_grade_leaves_none():
    failed = make_report(check_result("rope.base", Outcome.NOT_RUN), device="cuda", error="no worker")

    report = on_all_devices([make_report(check_result("rope.base")), failed])

    assert (report.graded, report.score) == (False, None)
    assert report.error == "cuda: no worker"
    assert report.device == "cpu,cuda"


def test_times_are_added_and_trust_is_that_of_the_least():
    timing = Timing(started="2026-01-01T00:00:00+00:00", total=2.0, diagnosis=0.5, checks={"rope.base": 0.25})
    one = make_report(check_result("rope.base"), timing=timing, trusted=True)
    other = make_report(
        check_result("rope.base"), timing=timing, trusted=False, device="cuda", naming_error="no memory"
    )

    report = on_all_devices([one, other])

    assert (report.timing.total, report.timing.diagnosis, report.timing.checks) == (4.0, 1.0, {"rope.base": 0.5})
    assert report.trusted is False
    assert report.naming_error == "cuda: no memory"
