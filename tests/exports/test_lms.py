"""Grades into files as Canvas, Moodle and Blackboard export them: all bytes stay but those of the cells filled in."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import made_reports as made
import pytest
from exported import whole_report
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageError
from grader.exports.lms import delimited
from grader.exports.lms.fill import FillRequest, feedback_of, fill
from grader.exports.source import Run
from grader.report.summary import Student

CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Old (11),Assignment 1 (4711),Final Score\r\n"
    "    Points Possible,,,,,10,9,(read only)\r\n"
    '"Lovelace, Ada",101,s-1,ada,S1,3,,"88,5"\r\n'
    '"Hopper, Grace",102,s-2,grace,S1,4,7.00,12\r\n'
    '"张, 三",103,s-3,zhangsan,S2,5,EX,\r\n'
    '"Test, Student",999,,x,S1,,,\r\n'
)
MOODLE_ZH = (
    "标识符,全名,电子邮件地址,状态,成绩,最高分,成绩可以更改,上次修改（作业）,上次修改（评分）,反馈意见\n"
    '参与人101,"Ada, L.",a@x.org,已提交,,9.00,是,"2026年11月1日, 12:00",-,\n'
    "参与人102,Grace,g@x.org,已提交,3.50,9.00,是,-,-,see me\n"
)
BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Essay [Total Pts: 50 Score] |77"'
    '\t"Assignment 1 [Total Pts: 9 Score] |4711"\r\n'
    '"Lovelace"\t"Ada"\t"ada"\t"1"\t"10"\t""\r\n'
)


class InMemory(Run):
    """A run whose reports are all the same one."""

    def report(self, entry):
        return whole_report()


def a_run(*students, **changes):
    report = whole_report()
    entries = [made.entry_of(report, student.id, student=student) for student in students]
    others = [made.ungraded(f"{state}-1", state) for state in ("infrastructure", "unreadable", "missing")]
    return InMemory(Path("nowhere"), made.make_summary(report, *entries, *others, **changes))


ADA, GRACE = Student(id="ada", lms_id="101", email="a@x.org"), Student(id="grace", lms_id="102")
ZHANG = Student(id="zhangsan", lms_id="103", name="张三")


def changed_lines(before, after):
    pairs = zip(before.split("\n"), after.split("\n"), strict=True)
    return [(old, new) for old, new in pairs if old != new]


def test_canvas_gets_grades_and_nothing_else():
    filled = fill(CANVAS.encode(), "c.csv", a_run(ADA, GRACE, ZHANG), FillRequest(grade="Assignment 1 (4711)"))

    after = filled.content.decode("utf-8")
    assert changed_lines(CANVAS, after) == [
        ('"Lovelace, Ada",101,s-1,ada,S1,3,,"88,5"\r', '"Lovelace, Ada",101,s-1,ada,S1,3,5,"88,5"\r'),
        ('"Hopper, Grace",102,s-2,grace,S1,4,7.00,12\r', '"Hopper, Grace",102,s-2,grace,S1,4,5,12\r'),
    ]
    assert filled.platform == "canvas"
    assert filled.grades == 2
    assert filled.changed == [("grace", "7.00", "5")]
    assert filled.left == {"excused": ["zhangsan"]}
    assert filled.without_row == ["infrastructure-1", "unreadable-1", "missing-1"]
    assert filled.without_submission == 1  # the row of possible points is nobody's


def test_a_chinese_moodle_worksheet_gets_grades_and_feedback():
    filled = fill(MOODLE_ZH.encode(), "m.csv", a_run(ADA, GRACE), FillRequest(language="zh"))

    rows = list(csv.reader(io.StringIO(filled.content.decode("utf-8"))))
    assert filled.platform == "moodle"
    assert [row[4] for row in rows] == ["成绩", "5", "5"]
    assert rows[1][9].startswith("得分 5 / 9。 错误：Pairs halves.（中文） 未通过：rope.base, 隐藏检查 1 项。")
    assert rows[2][9] == "see me"
    assert filled.left == {"feedback already there": ["grace"]}
    assert [row[:4] + row[5:9] for row in rows] == [row[:4] + row[5:9] for row in csv.reader(io.StringIO(MOODLE_ZH))]


def test_feedback_that_was_there_is_replaced_when_asked():
    filled = fill(MOODLE_ZH.encode(), "m.csv", a_run(ADA, GRACE), FillRequest(replace_feedback=True))

    assert b"see me" not in filled.content
    assert filled.feedbacks == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_blackboard_files_keep_their_encoding_and_quotes(encoding):
    text = BLACKBOARD.replace("Ada", "艾达")

    filled = fill(
        text.encode(encoding), "b.xls", a_run(ADA), FillRequest(grade="Assignment 1 [Total Pts: 9 Score] |4711")
    )

    assert filled.platform == "blackboard"
    assert filled.content == text.replace('"10"\t""', '"10"\t"5"').encode(encoding)


def test_any_other_file_is_filled_in_when_its_columns_are_named():
    text = "学号;姓名;总评\nada;A;\nnobody;B;\n"

    filled = fill(text.encode(), "x.csv", a_run(ADA), FillRequest(grade="总评", key="学号"))

    assert filled.content.decode() == "学号;姓名;总评\nada;A;5\nnobody;B;\n"


def test_students_are_found_by_a_name_that_one_alone_has():
    text = 'Student,ID,Section,A (1)\n"Lovelace, Ada",7,S,\n"Doe, Jo",8,S,\n"Doe, Jo",9,S,\n'
    ada, jo = Student(id="x1", name="ada  lovelace"), Student(id="x2", first_name="Jo", last_name="Doe")

    filled = fill(text.encode(), "c.csv", a_run(ada, jo), FillRequest())

    assert filled.content.decode() == text.replace("7,S,", "7,S,5")
    assert "x2" in filled.without_row


@pytest.mark.parametrize(("out_of", "grade"), [(9.0, "5"), (10.0, "5.56"), (100.0, "55.56"), (18.0, "10")])
def test_points_are_converted_when_asked(out_of, grade):
    text = MOODLE_ZH.replace("9.00", "7.00")

    filled = fill(text.encode(), "m.csv", a_run(ADA), FillRequest(out_of=out_of))

    assert next(csv.reader(filled.content.decode().splitlines()[1:]))[4] == grade


def test_decimals_are_written_as_the_file_writes_them():
    text = MOODLE_ZH.replace("3.50", '"3,50"')

    filled = fill(text.encode(), "m.csv", a_run(ADA), FillRequest(out_of=10))

    assert next(csv.reader(filled.content.decode().splitlines()[1:]))[4] == "5,56"


@pytest.mark.parametrize(
    ("text", "request_", "said"),
    [
        (CANVAS, FillRequest(), "several columns"),
        (CANVAS, FillRequest(grade="Assignment 2"), "no column 'Assignment 2'. It has: 'Student'"),
        (CANVAS.replace("10,9,", "10,100,"), FillRequest(grade="Assignment 1 (4711)"), "--out-of 100 to convert"),
        ("a,b\n1,2\n", FillRequest(), "--key-column"),
        ("a,a,k\n1,2,3\n", FillRequest(grade="a", key="k"), "2 columns 'a'"),
        ("Student,ID,Section\nx,1,s\n", FillRequest(), "or none"),
        ("only a header\n", FillRequest(), "no rows"),
        ("", FillRequest(), "no rows"),
    ],
)
def test_a_file_that_is_not_understood_is_refused_in_a_sentence(text, request_, said):
    with pytest.raises(UsageError, match=said):
        fill(text.encode(), "t.csv", a_run(ADA), request_)


def test_what_is_no_text_is_refused():
    with pytest.raises(UsageError, match="no CSV file"):
        fill(b"PK\x03\x04\x00\xff\xff\xff", "grades.xlsx", a_run(ADA), FillRequest())


def test_feedback_names_no_hidden_check_and_no_mistake_that_only_they_show():
    assert feedback_of(whole_report(), "en") == (
        "Score 5 of 9. Mistake: Pairs halves. Failed: rope.base, hidden checks: 1. Carried forward at no cost: 1."
    )


def test_feedback_says_no_more_than_the_hints_allow():
    report = whole_report()
    quiet = report.model_copy(update={"checks": [one.model_copy(update={"hints": 1}) for one in report.checks]})

    assert "Mistake" in feedback_of(report, "en")
    assert "Mistake" not in feedback_of(quiet, "en")


def test_without_its_report_a_row_gets_its_score_alone():
    class Gone(Run):
        def report(self, entry):
            raise UsageError("gone")

    run = a_run(ADA)
    filled = fill(MOODLE_ZH.encode(), "m.csv", Gone(run.folder, run.summary), FillRequest())

    assert next(csv.reader(filled.content.decode().splitlines()[1:]))[4::5] == ["5", "Score 5 of 9."]


# -- the file ----------------------------------------------------------------------------------------------------

CELLS = st.text(alphabet=st.sampled_from('ab ,;\t"\n\r界=+'), max_size=6)


TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=2, max_size=5)
)


@given(TABLES, st.sampled_from(["\n", "\r\n"]))
def test_cells_are_those_of_the_csv_module_and_nothing_changes_unasked(rows, end):
    rows = [[f"title {number}" for number in range(len(rows[0]))], *rows]
    stream = io.StringIO()
    csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows)
    content = stream.getvalue().encode()

    parsed = delimited.parse(content, "t.csv")

    assert [[cell.value for cell in row] for row in parsed.rows] == rows
    assert parsed.to_bytes() == content


@given(st.text(alphabet=st.sampled_from('ab,"\n'), min_size=1, max_size=30))
def test_odd_files_are_read_as_the_csv_module_reads_them(text):
    content = f"h1,h2,h3\n1,2,3\n{text}"

    parsed = delimited.parse(content.encode(), "t.csv")

    expected = [row for row in csv.reader(io.StringIO(content, newline="")) if row]
    assert [[cell.value for cell in row] for row in parsed.rows if [cell.value for cell in row] != [""]] == [
        row for row in expected if row != [""]
    ]
    assert parsed.to_bytes() == content.encode()


@given(CELLS)
def test_a_new_cell_says_what_it_was_given(value):
    parsed = delimited.parse(b"a,b\n1,2\n3,4\n", "t.csv")

    parsed.replace(parsed.rows[1][1], value)
    again = list(csv.reader(io.StringIO(parsed.to_bytes().decode(), newline="")))

    assert [again[0], again[1][0], again[2]] == [["a", "b"], "1", ["3", "4"]]
    assert again[1][1] == value or value.startswith('"')
