"""What a path holds shows in its first bytes; whatever they are, the answer is a submission or one sentence."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from pathlib import Path

import pytest
from bad_archives import gz, tarred, zipped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.errors import SubmissionError, UsageError
from grader.intake.read import read

NOTEBOOK = {
    "cells": [{"cell_type": "code", "source": "def apply_rope(): ...", "metadata": {}, "outputs": []}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 2,
}
SAMPLES = {
    "a.zip": zipped(),
    "a.tar": tarred(),
    "a.tgz": gz(tarred()),
    "rope.py": b"x = 1\n",
    "a.ipynb": json.dumps(NOTEBOOK).encode(),
}


def refusal(path: Path, error: type[Exception] = SubmissionError) -> str:
    with pytest.raises(error) as caught:
        read(path)
    return str(caught.value)


@pytest.mark.parametrize("name", ["mine.zip", "mine.tar.gz", "mine.py", "mine.txt", "mine"])
@pytest.mark.parametrize("sample", ["a.zip", "a.tar", "a.tgz"])
def test_an_archive_is_known_by_its_content_under_any_name(tmp_path, sample, name):
    path = tmp_path / name
    path.write_bytes(SAMPLES[sample])

    assert set(read(path).files) == {"assignment1/rope.py", "assignment1/norm.py"}


@pytest.mark.parametrize("name", ["mine.py", "mine.json", "mine.ipynb", "MINE.IPYNB"])
def test_a_notebook_is_known_by_its_content_or_its_name(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(SAMPLES["a.ipynb"])

    assert "assignment1/rope.py" in read(path).files


@pytest.mark.parametrize(
    ("raw", "kind"),
    [(b"Rar!\x1a\x07\x01\x00", "RAR"), (b"7z\xbc\xaf\x27\x1c\0\4", "7z"), (b"\x28\xb5\x2f\xfd", "Zstandard")],
)
def test_other_archives_are_named(tmp_path, raw, kind):
    (tmp_path / "mine.zip").write_bytes(raw + bytes(100))

    assert refusal(tmp_path / "mine.zip") == f"mine.zip is a {kind} archive, which cannot be read; hand in a .zip"


@pytest.mark.parametrize("raw", [b"", b"x = 1\n", bytes(10240), b"%PDF-1.7"])
@pytest.mark.parametrize("name", ["mine.zip", "mine.tar", "mine.pdf", "mine"])
def test_what_is_none_of_these_is_refused_with_the_list(tmp_path, name, raw):
    (tmp_path / name).write_bytes(raw)

    assert refusal(tmp_path / name) == (
        f"{name} is none of what can be read: a folder, a .zip, .tar, .tar.gz, .tar.bz2 or .tar.xz archive, "
        "a .py file or an .ipynb notebook"
    )


def test_nothing_there(tmp_path):
    assert refusal(tmp_path / "nowhere.zip", UsageError) == f"no such file or folder: {tmp_path / 'nowhere.zip'}"


@pytest.mark.parametrize("name", ["a" * 5000, "a\0b"])
def test_a_path_that_no_system_accepts(tmp_path, name):
    assert "cannot read" in refusal(tmp_path / name, UsageError)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "mine.zip").write_bytes(SAMPLES["a.zip"])

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)

    assert refusal(tmp_path / "mine.zip", UsageError) == f"cannot read {tmp_path / 'mine.zip'}: Permission denied"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither")
def test_a_pipe_and_a_device_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "mine.zip")

    assert refusal(tmp_path / "mine.zip") == f"{tmp_path / 'mine.zip'} is neither a folder nor a regular file"
    assert refusal(Path("/dev/zero")) == "/dev/zero is neither a folder nor a regular file"


# -- any bytes ---------------------------------------------------------------------------------------------------


def read_or_refuse(path: Path) -> None:
    """Any other exception is an error of ours, and so is a sentence that a terminal cannot show."""
    try:
        said = ""
        names = [*read(path).files]
    except UsageError as error:
        said, names = str(error), ["assignment1/"]
    assert said.isprintable()
    assert any(name.startswith("assignment1/") for name in names)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([*SAMPLES]), st.binary(max_size=2000))
def test_random_bytes_are_refused_in_one_sentence(place, name, raw):
    path = place / name
    path.write_bytes(SAMPLES[name][:8] + raw)

    read_or_refuse(path)


@settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([*SAMPLES]),
    st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 255)), min_size=1, max_size=6),
    st.integers(0, 20_000),
)
def test_a_damaged_submission_is_read_or_refused_in_one_sentence(place, name, changes, end):
    raw = bytearray(SAMPLES[name])
    for at, value in changes:
        raw[at % len(raw)] = value
    path = place / name
    path.write_bytes(raw[: max(8, end)] if end < len(raw) else raw)

    read_or_refuse(path)


@settings(max_examples=200)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([*NOTEBOOK, "cell_type", "source", "worksheets", "input"]), inner, max_size=4
            )
        ),
        max_leaves=20,
    ),
    st.sampled_from(["cells", "nbformat", "metadata", "worksheets", "nbformat_minor"]),
)
def test_a_notebook_with_other_values_is_read_or_refused_in_one_sentence(place, value, key):
    path = place / "other.ipynb"
    path.write_text(json.dumps({**NOTEBOOK, key: value}))

    read_or_refuse(path)


def test_the_samples_are_what_they_should_be(place):
    for name, raw in SAMPLES.items():
        (place / name).write_bytes(raw)
        assert "assignment1/rope.py" in read(place / name).files
    assert zipfile.is_zipfile(place / "a.zip")
