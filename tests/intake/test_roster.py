"""The roster: as courses export it, and which student a platform's name means."""

from __future__ import annotations

import pytest

from grader.errors import UsageError
from grader.intake.bulk.layouts import Named
from grader.intake.bulk.roster import read_roster


@pytest.fixture
def roster_of(tmp_path):
    def make(text: str, encoding: str = "utf-8"):
        path = tmp_path / "roster.csv"
        path.write_bytes(text.encode(encoding))
        return read_roster(path)

    return make


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_any_usual_csv_is_read(roster_of, encoding, delimiter):
    text = "学号,姓名,班级,github\n2023001,张三,一班,zs\n\n2023002,李四\n".replace(",", delimiter)

    first, second = roster_of(text, encoding).students

    assert (first.id, first.whole_name, first.section, first.extra) == ("2023001", "张三", "一班", {"github": "zs"})
    assert (second.id, second.section) == ("2023002", "")


@pytest.mark.parametrize(
    "named",
    [
        Named("2023001"),
        Named("zhangsan"),
        Named("ZhangSan"),
        Named("77", lms_id="77"),
        Named("x", email="zs@example.org"),
        Named("5", name="zhangsan"),
        Named("5", name="San Zhang"),
        Named("Zhang San"),
    ],
)
def test_a_student_is_found_by_whatever_the_platform_knows(roster_of, named):
    roster = roster_of(
        "student_id,username,lms_id,first_name,last_name,email\n"
        "2023001,zhangsan,Participant 77,San,Zhang,zs@example.org\n2023002,lisi,78,Si,Li,ls@example.org\n"
    )

    assert roster.find(named).id == "2023001"


def test_two_of_one_name_are_not_guessed_between(roster_of):
    roster = roster_of("student_id,name\n1,Zhang San\n2,Zhang San\n")

    assert roster.find(Named("9", name="Zhang San")) is None
    assert roster.find(Named("2", name="Zhang San")).id == "2"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no column student_id"),
        ("name,email\nA,b\n", "its columns are: name, email"),
        ("student_id\n1\n2\n1\n", "1 twice: in rows 2 and 4"),
        ("student_id,name\n,A\n", "no student_id in row 2"),
    ],
)
def test_a_roster_that_cannot_be_used_is_refused_with_a_sentence(roster_of, text, says):
    with pytest.raises(UsageError, match=says):
        roster_of(text)


def test_a_roster_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="cannot read the roster"):
        read_roster(tmp_path / "none.csv")
