"""Who handed in what: every platform's download, as a folder and as a zip, with what students really put into it."""

from __future__ import annotations

import io
import os
import stat
import zipfile

import pytest
from bank_loader import base

from grader.errors import SubmissionError, UsageError
from grader.intake.bulk import zip_source as bulk_source
from grader.intake.bulk.handed_in import understand
from grader.intake.bulk.layouts import REGEX, Layout
from grader.intake.bulk.roster import Listed, Roster

BASE = {name: text.encode() for name, text in base().files.items()}
MODULES = {name.rpartition("/")[2]: raw for name, raw in BASE.items()}


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in files.items():
            archive.writestr(name, raw)
    return packed.getvalue()


HW = zipped(BASE)


@pytest.fixture
def open_source():
    """``open_source``, and everything closed in the end."""
    opened = []

    def make(path):
        opened.append(bulk_source.open_source(path))
        return opened[-1]

    yield make
    for source in opened:
        source.close()


@pytest.fixture(params=["folder", "zip"])
def input_of(request, tmp_path, open_source):
    """INPUT with these files, as a folder or as an archive."""

    def make(files: dict[str, bytes]):
        if request.param == "zip":
            path = tmp_path / "bulk.zip"
            path.write_bytes(zipped(files))
        else:
            path = tmp_path / "bulk"
            path.mkdir()
            for name, raw in files.items():
                place = path / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(raw)
        return open_source(path)

    return make


def read_all(source, layout=None, roster=None):
    found = understand(source, layout, roster)
    return found, {one.id: one.attempts[0].read(source) for one in found.students if one.attempts}


CANVAS = {
    "zhangsan_1001_55_hw.zip": HW,
    "lisi_LATE_1002_56_hw.py": MODULES["rope.py"] + b"\n",
    **{f"wangwu_1003_{60 + at}_{name}": raw for at, (name, raw) in enumerate(MODULES.items())},
    "zhao_1004_90_text.html": b"<p>my thoughts</p>",
    "zhao_1004_91_hw.zip": zipped({"inner/again.zip": HW, "inner/notes.txt": b"x"}),
    "sun_1005_92_text.html": b"<p>nothing else</p>",
}
MOODLE = {
    **{f"Zhang San_1_assignsubmission_file_/{name}": raw for name, raw in BASE.items()},
    "Li Si_2_assignsubmission_file_/my work.zip": HW,
    "Participant_3_assignsubmission_file_/hw/rope.py": MODULES["rope.py"],
    "Participant_3_assignsubmission_file_/hw/norm.py": MODULES["norm.py"],
    "Li Si_2_assignsubmission_onlinetext_/onlinetext.html": b"see the file",
}
BLACKBOARD = {
    "HW_a_attempt_2026-11-01-10-00-00_hw.zip": zipped({"assignment1/rope.py": b"old = 1\n"}),
    "HW_a_attempt_2026-11-03-10-00-00_hw.zip": HW,
    "HW_a_attempt_2026-11-02-10-00-00_hw.zip": zipped({"assignment1/rope.py": b"middle = 1\n"}),
    "HW_a_attempt_2026-11-03-10-00-00.txt": b"Name: A",
    "HW_b_attempt_2026-11-01-10-00-00_all.py": b"def apply_rope(): ...\n",
}


def test_canvas(input_of):
    found, read = read_all(input_of({name: raw for name, raw in CANVAS.items() if "1005" not in name}))

    assert (found.layout.name, found.skipped) == ("canvas", [])
    assert set(read) == {"1001", "1002", "1003", "1004"}
    assert read["1001"].files == read["1003"].files == read["1004"].files == base().files
    assert "assignment1/hw.py" in read["1002"].files
    assert {one.id: one.attempts[0].named.late for one in found.students}["1002"] is True


def test_a_text_entry_alone_cannot_be_graded(input_of):
    source = input_of(CANVAS)
    found = understand(source, None, None)
    text_only = next(one for one in found.students if one.id == "1005")

    with pytest.raises(SubmissionError, match="what can be read is"):
        text_only.attempts[0].read(source)


def test_moodle(input_of):
    found, read = read_all(input_of(MOODLE))

    assert found.layout.name == "moodle"
    assert read["1"].files == read["2"].files == base().files
    assert set(read["3"].files) == {"assignment1/rope.py", "assignment1/norm.py"}


def test_blackboard_keeps_the_newest_attempt_and_lists_the_others(input_of):
    found, read = read_all(input_of(BLACKBOARD))
    attempts = {one.id: one.attempts for one in found.students}

    assert found.layout.name == "blackboard"
    assert read["a"].files == base().files
    assert [one.named.timestamp for one in attempts["a"]] == [f"2026-11-0{day}T10:00:00" for day in (3, 2, 1)]


def test_a_folder_of_folders_archives_and_files_in_a_wrapper(input_of):
    files = {f"class/1001/{name}": raw for name, raw in BASE.items()}
    files |= {f"class/1002/deeper/{name}": raw for name, raw in BASE.items()}
    files |= {"class/1003.zip": HW, "class/1004.py": b"x = 1\n", "class/grades.xlsx": b"PK"}

    found, read = read_all(input_of(files))

    assert (found.layout.name, found.skipped) == ("folder", ["class/grades.xlsx"])
    assert set(read) == {"1001", "1002", "1003", "1004"}
    assert read["1001"].digest == read["1002"].digest == read["1003"].digest


def test_a_folder_and_an_archive_of_one_student_are_two_attempts(tmp_path, open_source):
    for number, name in enumerate(("1001.zip", "1001.py")):
        (tmp_path / name).write_bytes(HW if number == 0 else b"x = 1\n")
        os.utime(tmp_path / name, (1000 + number, 1000 + number))
    (tmp_path / "1002.zip").write_bytes(HW)

    found = understand(open_source(tmp_path), None, None)

    assert [one.path for one in found.students[0].attempts] == ["1001.py", "1001.zip"]
    assert not found.students[0].is_unclear


def test_attempts_that_no_time_tells_apart_are_said_to_be(tmp_path, open_source):
    for name in ("1001.zip", "1001.py"):
        (tmp_path / name).write_bytes(HW)
        os.utime(tmp_path / name, (1000, 1000))

    assert understand(open_source(tmp_path), None, None).students[0].is_unclear


def test_a_regular_expression_reaches_into_folders(input_of):
    layout = Layout(REGEX, r"section\d/(?P<student_id>\d+)_(?P<last_name>[^_/]+)(_(?P<timestamp>\d+))?(\.zip)?")
    files = {f"section1/1001_Zhang/{name}": raw for name, raw in BASE.items()}
    files |= {
        "section2/1002_Li_1.zip": zipped({"assignment1/x.py": b""}),
        "section2/1002_Li_2.zip": HW,
        "notes.txt": b"",
    }

    found, read = read_all(input_of(files), layout)

    assert found.skipped == ["notes.txt"]
    assert read["1001"].files == read["1002"].files == base().files
    assert {one.id: one.attempts[0].named.last_name for one in found.students} == {"1001": "Zhang", "1002": "Li"}


def test_numbers_behind_modules_that_were_handed_in_again_are_dropped(input_of):
    files = {f"z_1_{at}_{name.replace('.py', '-1.py')}": raw for at, (name, raw) in enumerate(MODULES.items())}

    _, read = read_all(input_of(files))

    assert {"assignment1/rope.py", "assignment1/kv_cache.py"} <= set(read["1"].files)


def test_the_roster_joins_what_is_one_students_and_lists_who_is_missing(input_of):
    roster = Roster([Listed("s1", name="Zhang San"), Listed("s2", lms_id="1002"), Listed("s3")])

    found, _ = read_all(
        input_of({"zhangsan_1001_5_a.zip": HW, "li_1002_6_b.zip": HW, "who_9_7_c.zip": HW}), None, roster
    )

    assert {one.id: len(one.attempts) for one in found.students} == {"s1": 1, "s2": 1, "9": 1, "s3": 0}
    assert [one.id for one in found.students if one.student is None] == ["9"]


# -- bad input ---------------------------------------------------------------------------------------------------


def test_an_empty_input(input_of):
    with pytest.raises(UsageError, match="is empty"):
        understand(input_of({}), None, None)


def test_one_submission_is_no_class(input_of):
    with pytest.raises(UsageError, match="one submission, not a class"):
        understand(input_of(BASE), None, None)


def test_names_that_nobody_knows(input_of):
    with pytest.raises(
        UsageError, match=r"no layout that is known.*readme.md.*canvas: zhangsan_LATE_1001_55_hw.zip.*--regex"
    ):
        understand(input_of({"readme.md": b"", "x.docx": b""}), None, None)


def test_names_of_another_layout_than_the_given_one(input_of):
    with pytest.raises(UsageError, match=r"fits the layout canvas: expected names such as zhangsan.*found 1001.zip"):
        understand(input_of({"1001.zip": HW}), Layout("canvas"), None)


def test_what_is_no_archive_and_no_folder(tmp_path, open_source):
    (tmp_path / "x.rar").write_bytes(b"Rar!")
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 broken")

    with pytest.raises(UsageError, match="neither a folder nor a"):
        open_source(tmp_path / "x.rar")
    with pytest.raises(UsageError, match="no readable zip archive"):
        open_source(tmp_path / "x.zip")
    with pytest.raises(UsageError, match="cannot read"):
        open_source(tmp_path / "none.zip")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"PK\x03\x04 broken", "no readable zip archive"),
        (b"Rar!\x1a\x07", "RAR archive"),
        (zipped({"a.py": b"", "b.py": b""}), "several files"),
        (zipped({"../assignment1/x.py": b""}), "leaves it"),
        (zipped({"/etc/assignment1/x.py": b""}), "absolute path"),
        (zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"d.zip": HW})})})}), "archive in 3 others"),
        (zipped({"report.pdf": b"%PDF"}), "what can be read is"),
        (b"", "none of what can be read"),
    ],
)
def test_a_bad_archive_costs_one_submission(input_of, raw, says):
    source = input_of({"bad_1_1_hw.zip": raw, "good_2_2_hw.zip": HW})
    bad, good = understand(source, None, None).students

    with pytest.raises(SubmissionError, match=says):
        bad.attempts[0].read(source)
    assert good.attempts[0].read(source).files == base().files


@pytest.mark.parametrize(
    "name", ["../up_1_1_x.zip", "/abs_1_1_x.zip", "C:\\x_1_1_x.zip", "a\x1b_1_1_x.zip", "con_1_1_x.zip"]
)
def test_names_in_the_bulk_archive_are_data(tmp_path, name, open_source):
    path = tmp_path / "in" / "bulk.zip"
    path.parent.mkdir()
    path.write_bytes(zipped({name: HW, "good_2_2_hw.zip": HW}))

    source = open_source(path)
    found, read = read_all(source)

    assert read["2"].files == base().files
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["bulk.zip", "in"]
    assert set(found.skipped) or "1" in read


def test_a_link_is_not_followed(tmp_path, open_source):
    (tmp_path / "outside").mkdir()
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "1001").symlink_to(tmp_path / "outside")
    (tmp_path / "class" / "1002.zip").write_bytes(HW)
    source = open_source(tmp_path / "class")

    found = understand(source, None, None)

    assert [one.id for one in found.students] == ["1002"]
    assert found.skipped == ["1001"]


def test_a_link_in_a_bulk_archive_costs_one_submission(tmp_path, open_source):
    link = zipfile.ZipInfo("A_1_assignsubmission_file_/assignment1")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = tmp_path / "bulk.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc")
        for name, raw in BASE.items():
            archive.writestr(f"B_2_assignsubmission_file_/{name}", raw)
    source = open_source(path)
    linked, good = understand(source, None, None).students

    with pytest.raises(SubmissionError, match="is a link"):
        linked.attempts[0].read(source)
    assert good.attempts[0].read(source).files == base().files


def test_an_archive_larger_than_allowed_is_not_unpacked(tmp_path, monkeypatch, open_source):
    monkeypatch.setattr("grader.intake.bulk.zip_source.MAX_NESTED", 1 << 20)
    path = tmp_path / "bulk.zip"
    path.write_bytes(zipped({"bomb_1_1_hw.zip": b"PK\x03\x04" + b"\0" * (2 << 20)}))
    source = open_source(path)

    with pytest.raises(SubmissionError, match="larger than 1 MiB"):
        understand(source, None, None).students[0].attempts[0].read(source)
