"""What is wrong with an archive is said in one sentence, at once and in little memory; nothing is written anywhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bad_archives import BAD

from grader.errors import SubmissionError
from grader.intake.read import read

SECONDS, MIB = 1.0, 100
MEASURE = """
import json, os, resource, sys, time
from pathlib import Path
from grader.errors import UsageError
from grader.intake import notebook, single, tar_archive, zip_archive
from grader.intake.read import read

for path in sys.argv[1:]:
    back, front = os.pipe()
    child = os.fork()  # each in a process of its own: the peak of memory is one number a process
    if not child:
        began, said = time.process_time(), "accepted"
        try:
            read(Path(path))
        except UsageError as error:
            said = str(error)
        os.write(front, json.dumps([said, time.process_time() - began]).encode())
        os._exit(0)
    os.close(front)
    with os.fdopen(back) as answer:
        said = json.load(answer)
    print(json.dumps([*said, os.wait4(child, 0)[2].ru_maxrss / 1024]), flush=True)
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """What reading each bad archive came to: the sentence, processor seconds, MiB at the peak."""
    folder = tmp_path_factory.mktemp("archives")
    paths = {}
    for number, (name, (build, _)) in enumerate(BAD.items()):
        paths[name] = folder / str(number) / "bad"
        paths[name].parent.mkdir()
        paths[name].write_bytes(build())
    command = [sys.executable, "-I", "-c", MEASURE, *map(str, paths.values())]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    assert {path for path in folder.rglob("*") if path.is_file()} == set(paths.values())
    return dict(zip(paths, map(json.loads, result.stdout.splitlines()), strict=True))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork, and counts memory in another way")
@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_in_one_sentence_quickly_and_in_little_memory(measured, name):
    said, seconds, mib = measured[name]

    assert BAD[name][1] in said
    assert "\n" not in said
    assert said.isprintable()
    assert len(said) < 400
    assert seconds < SECONDS
    assert mib < MIB


def test_a_refusal_names_the_file_and_no_exception(tmp_path: Path):
    path = tmp_path / "bad"
    path.write_bytes(BAD["zip: truncated"][0]())

    with pytest.raises(SubmissionError) as caught:
        read(path)

    assert str(caught.value) == "bad is no readable zip archive: its end is missing"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
