"""A folder and an archive of it are one submission, whatever tool packed it and on which system."""

from __future__ import annotations

import io
import subprocess
import tarfile
import unicodedata
import zipfile
from pathlib import Path

import pytest
from bank_loader import base
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import SubmissionError
from grader.intake import rules
from grader.intake.read import read

TAR_MODES = {".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.bz2": "w:bz2", ".tar.xz": "w:xz"}
SUFFIXES = [".zip", *TAR_MODES]


def pack(files: dict[str, bytes], target: Path) -> Path:
    """The archive that ``target``'s suffix names."""
    if target.suffix == ".zip":
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, raw in files.items():
                archive.writestr(name, raw)
        return target
    mode = next(mode for suffix, mode in TAR_MODES.items() if target.name.endswith(suffix))
    with tarfile.open(target, mode) as archive:
        for name, raw in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    return target


def unpack(files: dict[str, bytes], folder: Path) -> Path:
    for name, raw in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return folder


def base_files(around: str = "") -> dict[str, bytes]:
    """The base submission, in a wrapper or not."""
    return {around + name: text.encode() for name, text in base().files.items()}


def reading(path: Path):
    """The submission, or that it was refused; which sentence may depend on the form."""
    try:
        return read(path)
    except SubmissionError:
        return None


# -- a folder is an archive is a folder --------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("around", ["", "mine/", "Homework 1/mine/", "a/b/c/"])
def test_an_archive_is_the_folder_that_was_packed(tmp_path, suffix, around):
    files = {**base_files(around), around + "helper.py": b"x = 1\n", around + "README.md": b"", "notes/today.txt": b""}
    folder = unpack(files, tmp_path / "handed-in")

    submission = read(pack(files, tmp_path / f"handed-in{suffix}"))

    assert submission == read(folder)
    assert submission.files == {**base().files, "helper.py": "x = 1\n"}
    assert submission.name == (around.rstrip("/").rpartition("/")[2] or "handed-in")
    assert set(submission.skipped) == {"README.md", "../" * around.count("/") + "notes/"}


PARTS = st.sampled_from(
    [
        "assignment1",
        "rope.py",
        "helper.py",
        "a",
        "B",
        "README.md",
        ".git",
        "__pycache__",
        "._x.py",
        "conftest.py",
        "é.py",
    ]
)
CONTENTS = st.sampled_from(
    [b"", b"x = 1\n", b"y = 2\r\n", "# 归一化\n".encode("gbk"), b"\xef\xbb\xbfz = 3\n", b"\xff\n"]
)
FILES = st.dictionaries(st.lists(PARTS, min_size=1, max_size=4).map("/".join), CONTENTS, max_size=8)


@settings(max_examples=150)
@given(FILES, st.sampled_from(["", "mine/", "mine/mine/"]))
def test_folder_zip_and_tar_of_any_files_give_the_same(tmp_path_factory, files, around):
    files = {around + name: raw for name, raw in files.items()} | {around + "assignment1/norm.py": b"n = 0\n"}
    folders = {name[:at] for name in files for at, sign in enumerate(name) if sign == "/"}
    files = {name: raw for name, raw in files.items() if name not in folders}  # no system has both under one name
    place = tmp_path_factory.mktemp("same")

    of_folder = reading(unpack(files, place / "mine"))
    of_archives = [reading(pack(files, place / f"mine{suffix}")) for suffix in (".zip", ".tar", ".tar.gz")]

    assert of_archives == [of_folder] * 3


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_each_format_of_tar_is_read_with_long_names_too(tmp_path, form):
    folder = unpack(base_files(), tmp_path / "mine")
    deep = "assignment1/" + "a" * 90 + "/" + "b" * 90 + ".py"
    unpack({deep: b"x = 1\n"}, folder)

    with tarfile.open(tmp_path / "mine.tar", "w", format=form) as archive:
        archive.add(folder, ".")

    assert read(tmp_path / "mine.tar") == read(folder)
    assert deep in read(folder).files


def test_a_tar_with_a_comment_for_all_and_dates_of_each_is_read(tmp_path):
    folder = unpack(base_files(), tmp_path / "mine")

    with tarfile.open(tmp_path / "mine.tar", "w", pax_headers={"comment": "0" * 40}) as archive:  # as git archive does
        archive.add(folder, "mine")

    assert read(tmp_path / "mine.tar") == read(folder)


def test_a_zip_written_to_a_pipe_has_its_sizes_behind_the_data_and_is_read(tmp_path):
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError

    target = Pipe()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in base_files().items():
            archive.writestr(name, raw)
    (tmp_path / "mine.zip").write_bytes(target.getvalue())

    assert read(tmp_path / "mine.zip").files == base().files


@pytest.mark.parametrize("command", [["tar", "czf"], ["tar", "cjf"], ["zip", "-qr"]])
def test_what_the_system_s_own_tools_pack_is_read(tmp_path, command):
    unpack(base_files(), tmp_path / "mine")
    try:
        done = subprocess.run([*command, "packed", "mine"], cwd=tmp_path, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip(f"no {command[0]} here")
    if done.returncode:
        pytest.skip(f"{command[0]} cannot do this here: {done.stderr.decode(errors='replace')}")

    packed = tmp_path / ("packed.zip" if command[0] == "zip" else "packed")

    assert read(packed) == read(tmp_path / "mine")


# -- what systems and tools leave in archives --------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".zip", ".tar.gz"])
def test_what_macos_leaves_is_not_read_and_listed(tmp_path, suffix):
    left = {
        "__MACOSX/mine/assignment1/._rope.py": b"\0\5\x16\7",
        "mine/assignment1/._rope.py": b"\0\5\x16\7",
        "mine/.DS_Store": b"\0\0\0\1Bud1",
    }

    submission = read(pack(base_files("mine/") | left, tmp_path / f"mine{suffix}"))

    assert submission.files == base().files
    assert submission.skipped == ("../__MACOSX/", ".DS_Store", "assignment1/._rope.py")


@pytest.mark.parametrize("suffix", [".zip", ".tar"])
def test_environments_caches_and_repositories_are_one_line_each(tmp_path, suffix):
    left = [
        ".git/HEAD",
        ".git/a/b",
        ".venv/bin/x.py",
        "venv/lib/y.py",
        "__pycache__/a.pyc",
        "assignment1/__pycache__/b.pyc",
    ]
    files = base_files() | dict.fromkeys([*left, "data/d.bin", "paper.pdf", "try.ipynb", "rope.pyc"], b"")

    submission = read(pack(files, tmp_path / f"mine{suffix}"))

    assert submission.files == base().files
    assert submission.skipped == (
        *(".git/", ".venv/", "__pycache__/", "assignment1/__pycache__/"),
        *("data/", "paper.pdf", "rope.pyc", "try.ipynb", "venv/"),
    )


def test_links_in_an_environment_that_is_not_read_do_not_matter(tmp_path):
    (tmp_path / "mine").mkdir()
    folder = unpack(base_files(), tmp_path / "mine")
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to("/usr/bin/python3" * 8)

    with tarfile.open(tmp_path / "mine.tar", "w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(folder, "mine")

    assert read(tmp_path / "mine.tar") == read(folder)
    assert read(folder).skipped == (".venv/",)


def test_the_list_of_skipped_files_has_an_end(tmp_path):
    files = base_files() | {f"data{number:04}.bin": b"" for number in range(500)}

    skipped = read(pack(files, tmp_path / "mine.zip")).skipped

    assert skipped == (*(f"data{number:04}.bin" for number in range(rules.MAX_LISTED)), "and 400 more")


@pytest.mark.parametrize("encoding", ["gbk", "utf-8"])
def test_a_wrapper_with_a_chinese_name_that_does_not_say_its_encoding(tmp_path, encoding):
    raw = pack(base_files("XXXXXXXXXXXX/"), tmp_path / "mine.zip").read_bytes()
    name = "第一次作业".encode(encoding).ljust(12, b"_")[:12] if encoding == "gbk" else "作业四次".encode()

    (tmp_path / "mine.zip").write_bytes(raw.replace(b"XXXXXXXXXXXX", name))

    assert read(tmp_path / "mine.zip").name == name.decode(encoding)
    assert read(tmp_path / "mine.zip").files == base().files


def test_a_module_whose_accent_was_taken_apart_can_be_imported_under_its_name(tmp_path):
    name = unicodedata.normalize("NFD", "assignment1/é.py")

    assert "assignment1/é.py" in read(pack(base_files() | {name: b""}, tmp_path / "mine.tar")).files


def test_several_submissions_in_one_archive_are_not_guessed_among(tmp_path):
    files = {f"{name}/assignment1/rope.py": b"" for name in "abcdefg"}

    with pytest.raises(SubmissionError, match=r"\(a, b, c, d, e\); give one of them"):
        read(pack(files, tmp_path / "all.zip"))


def test_data_beside_the_submission_may_be_large_in_a_zip_as_in_a_folder(tmp_path):
    files = base_files() | {"data.bin": bytes(rules.MAX_UNPACKED + 1)}

    assert read(pack(files, tmp_path / "mine.zip")).files == base().files
    with pytest.raises(SubmissionError, match="the archive holds more than 32 MiB; leave out data and environments"):
        read(pack(files, tmp_path / "mine.tar.gz"))
