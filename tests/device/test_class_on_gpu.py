"""A slot of a class with two devices: each has a runner, which is kept, and results have cells of both."""

from __future__ import annotations

import contextlib

import bank_loader
from gpu_pretended import PretendedGpuRunner

from grader.batch.slot import NothingMore, SlotLoop
from grader.batch.tasks import task_of
from grader.batch.whole import columns
from grader.errors import Outcome
from grader.report import json_file
from grader.runners.base import Limits
from grader.runners.local import LocalRunner

SELECTED = ["rope.base", "device.positions"]


def graded(settings, made, *tasks):
    """Results of the tasks, one slot for all; ``made`` notes which runners were asked for."""

    def make(name, loaded, device):
        made.append(device)
        return PretendedGpuRunner() if device == "cuda" else LocalRunner(Limits(memory=1 << 30), sandbox=False)

    waiting, results = list(tasks), []

    def next_task():
        if not waiting:
            raise NothingMore
        return waiting.pop(0)

    loop = SlotLoop(make, next_task, results.append)
    with contextlib.suppress(NothingMore):
        while True:
            loop.go()
    return results


def task(entry, settings, device):
    return task_of(
        entry.submission(),
        settings=settings.model_dump_json(),
        seed=2,
        device=device,
        selected=SELECTED,
        naming=False,
        page=False,
        seconds=60.0,
    )


def test_submissions_one_after_another_share_the_runners_of_both_devices(settings):
    entries = {entry.name: entry for entry in bank_loader.entries("device")}
    made = []

    wrong, right, on_cpu = graded(
        settings,
        made,
        task(entries["rope_positions_stay"], settings, "cpu,cuda"),
        task(entries["norm_cpu_round_trip"], settings, "cpu,cuda"),
        task(entries["rope_positions_stay"], settings, "cpu"),
    )

    assert made == ["cpu", "cuda", "cpu"]
    assert [result.error for result in (wrong, right, on_cpu)] == [None] * 3
    outcomes = [{cell.id: cell.outcome for cell in result.cells} for result in (wrong, right, on_cpu)]
    assert outcomes == [
        {"rope.base": Outcome.PASS, "device.positions": Outcome.STUDENT_ERROR},
        {"rope.base": Outcome.PASS, "device.positions": Outcome.PASS},
        {"rope.base": Outcome.PASS},
    ]
    assert [result.score for result in (wrong, right, on_cpu)] == [1, 3, 1]
    assert json_file.from_json(wrong.report).device == "cpu,cuda"


def test_a_class_has_columns_of_devices_where_there_is_one(settings):
    plain, on_gpu = columns(settings), columns(settings, ["cpu", "cuda"])

    assert {column.id for column in on_gpu} - {column.id for column in plain} == set(settings.device_points)
    assert {column.id for column in plain} == set(settings.points)
