"""A folder becomes sources in memory; what cannot be read as such is refused with one sentence."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from bank_loader import base

from grader.errors import SubmissionError, UsageError
from grader.intake import rules
from grader.intake.folder import FolderTree, find_above, read

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows makes such files only for administrators")


def refusal(path: Path, error: type[Exception] = SubmissionError) -> str:
    with pytest.raises(error) as caught:
        read(path)
    return str(caught.value)


def test_the_package_and_the_helpers_beside_it_are_read(submission_folder):
    (submission_folder / "helper.py").write_text("x = 1\n")
    (submission_folder / "assignment1" / "parts").mkdir()
    (submission_folder / "assignment1" / "parts" / "deep.py").write_text("y = 2\n")

    submission = read(submission_folder)

    assert submission.name == "handed-in"
    assert submission.files == {**base().files, "helper.py": "x = 1\n", "assignment1/parts/deep.py": "y = 2\n"}
    assert submission.skipped == ()


def test_the_folder_the_package_and_a_wrapper_are_the_same_submission(submission_folder):
    readings = [read(path) for path in (submission_folder, submission_folder / "assignment1", submission_folder.parent)]

    assert [reading.files for reading in readings] == [base().files] * 3
    assert len({reading.digest for reading in readings}) == 1


def test_the_digest_changes_with_a_name_and_with_a_text(submission_folder):
    digests = [read(submission_folder).digest]
    norm = submission_folder / "assignment1" / "norm.py"

    norm.rename(norm.with_name("norms.py"))
    digests.append(read(submission_folder).digest)
    norm.with_name("norms.py").rename(norm)
    norm.write_text(norm.read_text() + "\n")
    digests.append(read(submission_folder).digest)

    assert len(set(digests)) == 3


def test_what_editors_and_systems_leave_behind_is_not_read(submission_folder):
    left = (".DS_Store", "._norm.py", "assignment1/._norm.py", "assignment1/.hidden.py", "notes.txt")
    for name in left:
        (submission_folder / name).write_bytes(b"\0\1\2")
    cache = submission_folder / "assignment1" / "__pycache__"
    cache.mkdir()
    (cache / "norm.cpython-311.py").write_text("other = 'code'\n")

    assert read(submission_folder).files == base().files


@pytest.mark.parametrize(
    "name", [".venv", "venv", "__pycache__", "__MACOSX", "node_modules", "site-packages", ".ipynb_checkpoints"]
)
def test_a_folder_of_other_people_s_modules_in_the_package_is_not_entered(submission_folder, name):
    (submission_folder / "assignment1" / name).mkdir()
    (submission_folder / "assignment1" / name / "x.py").write_text("x = 1\n")

    submission = read(submission_folder)

    assert submission.files == base().files
    assert submission.skipped == (f"assignment1/{name}/",)


def test_files_that_would_configure_tools_are_skipped_and_listed(submission_folder):
    for name in ("conftest.py", "sitecustomize.py", "setup.py"):
        (submission_folder / name).write_text("raise SystemExit\n")

    submission = read(submission_folder)

    assert submission.files == base().files
    assert submission.skipped == ("conftest.py", "setup.py", "sitecustomize.py")


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("\ufeffx = '乙'\ny = 2\n".encode(), id="byte order mark"),
        pytest.param("x = '乙'\r\ny = 2\r\n".encode(), id="Windows line ends"),
        pytest.param("x = '乙'\ry = 2\r".encode(), id="old Mac line ends"),
    ],
)
def test_marks_and_line_ends_do_not_matter(submission_folder, raw):
    (submission_folder / "assignment1" / "norm.py").write_bytes(raw)

    assert read(submission_folder).files["assignment1/norm.py"] == "x = '乙'\ny = 2\n"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param(b"# caf\xe9 \xff\xff\n", "is not UTF-8 text (byte 5)", id="neither"),
        pytest.param("x = 1\n".encode("utf-16"), "holds a NUL byte: it is not Python source text", id="UTF-16"),
    ],
)
def test_another_encoding_is_refused_with_the_file_s_name(submission_folder, raw, reason):
    (submission_folder / "assignment1" / "norm.py").write_bytes(raw)

    assert refusal(submission_folder) == f"assignment1/norm.py {reason}"


def test_no_such_folder(tmp_path):
    assert refusal(tmp_path / "nowhere", UsageError) == f"no such folder: {tmp_path / 'nowhere'}"


def test_a_file_is_not_a_folder(tmp_path):
    (tmp_path / "norm.py").write_text("")

    assert refusal(tmp_path / "norm.py", UsageError) == f"{tmp_path / 'norm.py'} is not a folder"


def test_a_path_that_no_system_accepts(tmp_path):
    assert "cannot read" in refusal(tmp_path / ("a" * 5000), UsageError)


def test_a_folder_without_the_package(tmp_path):
    assert refusal(tmp_path) == f"no assignment1/ folder in {tmp_path}"


def test_a_package_without_python_files(tmp_path):
    (tmp_path / "assignment1").mkdir()

    assert refusal(tmp_path) == f"no assignment1/ folder with Python files in {tmp_path}"


def test_several_packages_are_not_guessed_among(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name / "assignment1").mkdir(parents=True)

    assert "(first, second); give one of them" in refusal(tmp_path)


def test_the_nearest_package_above_is_found(submission_folder):
    deep = submission_folder / "assignment1" / "parts"
    deep.mkdir()

    assert find_above(submission_folder) == submission_folder
    assert read(find_above(deep)).files == base().files


def test_without_a_package_above_the_path_is_asked_for(tmp_path):
    with pytest.raises(UsageError, match="no assignment1/ folder here or above; give the path of the submission"):
        find_above(tmp_path)


@posix
@pytest.mark.parametrize("place", ["assignment1/norm.py", "notes.py", "assignment1", "assignment1/parts"])
def test_a_link_is_refused_and_its_target_never_read(submission_folder, tmp_path, place):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "norm.py").write_text("SECRET = 1\n")
    path = submission_folder / place
    if path.is_dir():
        path.rename(tmp_path / "elsewhere")
    path.unlink(missing_ok=True)
    path.symlink_to(secret / "norm.py" if place.endswith(".py") else secret)

    assert refusal(submission_folder) == f"{place} is a link; links are not followed"


@posix
def test_a_wrapper_is_not_entered_through_a_link(submission_folder, tmp_path):
    wrapper = tmp_path / "wrapper"
    wrapper.mkdir()
    (wrapper / "mine").symlink_to(submission_folder)

    assert refusal(wrapper) == "mine is a link; links are not followed"


@posix
def test_a_pipe_is_refused_without_waiting_for_its_writer(submission_folder):
    os.mkfifo(submission_folder / "assignment1" / "pipe.py")

    assert refusal(submission_folder) == "assignment1/pipe.py is not a regular file"


@posix
@pytest.mark.parametrize("place", ["folder.py", "assignment1/folder.py"])
def test_a_folder_with_a_file_s_name_is_refused(submission_folder, place):
    (submission_folder / place).mkdir()

    assert refusal(submission_folder) == f"{place} is not a regular file"


@posix
def test_a_huge_file_is_refused_by_its_size(submission_folder):
    with (submission_folder / "assignment1" / "norm.py").open("wb") as file:
        file.truncate(1 << 40)  # a hole: takes no space

    assert refusal(submission_folder) == "assignment1/norm.py is larger than 1024 KiB"


def test_many_files_are_refused_by_their_number(submission_folder):
    for number in range(rules.MAX_FILES):
        (submission_folder / f"part{number}.py").write_text("")

    assert "more than 200 Python files" in refusal(submission_folder)


def test_large_files_are_refused_by_their_sum(submission_folder):
    for number in range(9):
        (submission_folder / f"part{number}.py").write_bytes(b"#" * rules.MAX_FILE_BYTES)

    assert "more than 8 MiB of Python files" in refusal(submission_folder)


def test_deep_folders_are_refused(submission_folder):
    (submission_folder / "assignment1" / "/".join("abcdefg")).mkdir(parents=True)

    assert "nested more than 6 folders deep" in refusal(submission_folder)


@posix
@pytest.mark.parametrize("name", [b"a\x1b[2J.py", b"\xff.py", b"two\nlines.py"])
def test_a_name_that_no_terminal_can_show_is_refused_in_ascii(submission_folder, name):
    try:
        with open(os.path.join(os.fsencode(submission_folder), name), "wb"):
            pass
    except OSError:
        pytest.skip("this file system does not take the name either")

    shown = refusal(submission_folder)

    assert shown == f"{os.fsdecode(name)!a} is not a usable file name"
    assert shown.isprintable()
    assert shown.isascii()


def test_a_folder_that_may_not_be_listed_is_refused(submission_folder, monkeypatch):
    def denied(place: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", denied)

    assert refusal(submission_folder) == "handed-in cannot be read: Permission denied"


@posix
@pytest.mark.parametrize("place", ["", "assignment1", "assignment1/parts"])
def test_a_folder_that_becomes_a_link_after_it_was_listed_is_not_followed(
    submission_folder, tmp_path, monkeypatch, place
):
    (submission_folder / "assignment1" / "parts").mkdir()
    (submission_folder / "assignment1" / "parts" / "norm.py").write_text("x = 1\n")
    (submission_folder / "norm.py").write_text("x = 1\n")
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "norm.py").write_text("SECRET = 1\n")
    read_files = FolderTree.read

    def swap(tree: FolderTree, paths: list[str]) -> object:
        (submission_folder / place).rename(tmp_path / "elsewhere")
        (submission_folder / place).symlink_to(secret)
        return read_files(tree, paths)

    monkeypatch.setattr(FolderTree, "read", swap)

    assert "cannot be read: " in refusal(submission_folder)


@posix
def test_a_file_that_becomes_a_link_after_it_was_listed_is_not_followed(submission_folder, tmp_path, monkeypatch):
    (tmp_path / "secret.py").write_text("SECRET = 1\n")
    read_files = FolderTree.read

    def swap(tree: FolderTree, paths: list[str]) -> object:
        (submission_folder / "assignment1" / "norm.py").unlink()
        (submission_folder / "assignment1" / "norm.py").symlink_to(tmp_path / "secret.py")
        return read_files(tree, paths)

    monkeypatch.setattr(FolderTree, "read", swap)

    assert "assignment1/norm.py cannot be read: " in refusal(submission_folder)


def test_a_folder_with_very_many_files_is_refused_without_listing_them_all(submission_folder, monkeypatch):
    monkeypatch.setattr(rules, "MAX_ENTRIES", 100)
    for number in range(101):
        (submission_folder / f"{number}.bin").touch()

    assert refusal(submission_folder) == "more than 100 files and folders in handed-in"


def test_very_many_files_in_a_folder_that_is_not_looked_into_do_not_matter(submission_folder, monkeypatch):
    monkeypatch.setattr(rules, "MAX_ENTRIES", 100)
    for place in (submission_folder / "data", submission_folder / "assignment1" / "__pycache__"):
        place.mkdir()
        for number in range(101):
            (place / str(number)).touch()

    assert read(submission_folder).skipped == ("assignment1/__pycache__/", "data/")


@posix
def test_a_link_beside_the_package_is_skipped_and_listed(submission_folder, tmp_path):
    (submission_folder / "data").symlink_to(tmp_path)

    assert read(submission_folder).skipped == ("data",)


def test_wrappers_are_looked_through_to_a_limit(submission_folder, tmp_path):
    deep = tmp_path / "outer" / "1" / "2" / "3"
    deep.parent.mkdir(parents=True)
    submission_folder.rename(deep)

    assert read(tmp_path / "outer").files == base().files
    assert read(tmp_path / "outer").name == "3"
    assert refusal(tmp_path) == f"no assignment1/ folder in {tmp_path}"


@posix
@pytest.mark.parametrize(
    "pair",
    [
        ("Helper.py", "helper.py"),
        ("caf\u00e9.py", "cafe\u0301.py"),
        ("assignment1/A.py", "assignment1/a.py"),
        ("Assignment1/x.py", "assignment1/x.py"),
    ],
)
def test_names_that_are_one_name_elsewhere_are_refused(submission_folder, pair):
    for name in pair:
        (submission_folder / name).parent.mkdir(exist_ok=True)
        (submission_folder / name).write_text("")
    if len(list(submission_folder.rglob("*.py"))) != len(base().files) + 2:
        pytest.skip("they are one name on this system already")

    assert "are the same name on some systems" in refusal(submission_folder)
