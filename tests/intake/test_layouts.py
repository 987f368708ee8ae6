"""Names as learning platforms make them, in several languages, and by a course's own regular expression."""

from __future__ import annotations

import pytest

from grader.errors import UsageError
from grader.intake.bulk.layouts import BLACKBOARD, CANVAS, FOLDER, LAYOUTS, MOODLE, REGEX, Layout, detect


def parsed(layout: str, name: str, *, is_folder: bool = False):
    return Layout(layout).parse(name, is_folder=is_folder)


@pytest.mark.parametrize(
    ("name", "key", "whole", "late", "file"),
    [
        ("zhangsan_1001_55_hw.zip", "1001", "zhangsan", False, "hw.zip"),
        ("zhangsan_LATE_1001_55_hw.zip", "1001", "zhangsan", True, "hw.zip"),
        ("张三_1001_55_作业.zip", "1001", "张三", False, "作业.zip"),
        ("anon_a1B2_55_hw.py", "a1B2", "", False, "hw.py"),
        ("LATE_anon_a1B2_55_hw.py", "a1B2", "", True, "hw.py"),
        ("oneillmary_7_8_my_file-1.ipynb", "7", "oneillmary", False, "my_file-1.ipynb"),
    ],
)
def test_canvas(name, key, whole, late, file):
    found = parsed(CANVAS, name)

    assert (found.key, found.name, found.late, found.file, found.is_note) == (key, whole, late, file, False)


def test_canvas_text_entries_are_notes_of_the_platform():
    assert parsed(CANVAS, "zhangsan_1001_55_text.html").is_note


@pytest.mark.parametrize(
    ("name", "is_folder", "key", "whole", "file"),
    [
        ("Zhang San_1001_assignsubmission_file", True, "1001", "Zhang San", ""),
        ("Zhang San_1001_assignsubmission_file_", True, "1001", "Zhang San", ""),
        ("张 三_1001_assignsubmission_file_hw.zip", False, "1001", "张 三", "hw.zip"),
        ("Participant_77_assignsubmission_file_", True, "77", "", ""),
        ("A_B_C_12_assignsubmission_file_x_y.py", False, "12", "A_B_C", "x_y.py"),
    ],
)
def test_moodle(name, is_folder, key, whole, file):
    found = parsed(MOODLE, name, is_folder=is_folder)

    assert (found.key, found.name, found.file) == (key, whole, file)


def test_blackboard_attempts_carry_their_time():
    found = parsed(BLACKBOARD, "HW 1_part_zhangsan_attempt_2026-11-01-23-59-07_my_hw.zip")

    assert (found.key, found.timestamp, found.file) == ("zhangsan", "2026-11-01T23:59:07", "my_hw.zip")
    assert parsed(BLACKBOARD, "HW 1_zhangsan_attempt_2026-11-01-23-59-07.txt").is_note


@pytest.mark.parametrize("layout", [CANVAS, MOODLE, BLACKBOARD])
@pytest.mark.parametrize("name", ["hw.zip", "1001", "zhang san hw.zip", "_1_2_", "", "a_b_c"])
def test_a_platform_does_not_take_other_names(layout, name):
    assert parsed(layout, name) is None


@pytest.mark.parametrize("name", ["1001.zip", "1001.tar.gz", "1001.py", "1001.ipynb", "1001.TGZ"])
def test_a_child_of_a_folder_is_one_student(name):
    assert parsed(FOLDER, name).key == "1001"
    assert parsed(FOLDER, "1001", is_folder=True).key == "1001"


def test_other_files_in_a_folder_are_nobodys():
    assert parsed(FOLDER, "grades.xlsx") is None


def test_a_regular_expression_names_its_parts():
    layout = Layout(REGEX, r"(?P<student_id>\d+)-(?P<last_name>[^-]+)-(?P<timestamp>\d+)-(?P<file>.*)")

    found = layout.parse("2023001-张-20261101-作业.zip", is_folder=False)

    assert (found.key, found.last_name, found.timestamp, found.file) == ("2023001", "张", "20261101", "作业.zip")
    assert layout.parse("x2023001-张-20261101-作业.zip", is_folder=False) is None


@pytest.mark.parametrize(
    ("pattern", "says"),
    [("(", "no regular expression"), (r"\d+", "student_id"), ("(?P<student_id>.)(?P<grade>.)", "'grade'")],
)
def test_a_useless_regular_expression_is_refused_with_a_sentence(pattern, says):
    with pytest.raises(UsageError, match=says):
        Layout(REGEX, pattern)


@pytest.mark.parametrize(
    ("names", "layout"),
    [
        ([("a_1_2_x.zip", False), ("b_2_3_y.py", False), ("index.html", False)], CANVAS),
        ([("A B_1_assignsubmission_file_", True), ("C_2_assignsubmission_file_", True)], MOODLE),
        ([("HW_a_attempt_2026-11-01-23-59-07_1_2_x.zip", False)], BLACKBOARD),
        ([("1001", True), ("1002.zip", False)], None),
    ],
)
def test_the_layout_is_recognised_by_its_names(names, layout):
    found = detect(names)

    assert (found and found.name) == layout


def test_every_layout_reads_its_own_example():
    examples = {
        CANVAS: ("zhangsan_LATE_1001_55_hw.zip", False),
        MOODLE: ("Zhang San_1001_assignsubmission_file", True),
        BLACKBOARD: ("Homework 1_zhangsan_attempt_2026-11-01-23-59-00_hw.zip", False),
        FOLDER: ("1001", True),
    }

    assert set(examples) == set(LAYOUTS)
    for layout, (name, is_folder) in examples.items():
        assert parsed(layout, name, is_folder=is_folder) is not None
        assert name in Layout(layout).expected()
