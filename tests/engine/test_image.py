"""What goes into the worker's image, and how a stale one is noticed. Needs no engine but where it says so."""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path

import pytest

import grader
from grader.errors import RunnerUnavailable, UsageError
from grader.runners.docker import build, image
from grader.runners.docker.build import BuildRequest, write_context

ROOT = Path(grader.__file__).parents[1]


def context(wheels: Path | None = None) -> dict[str, bytes]:
    buffer = io.BytesIO()
    write_context(buffer, wheels)
    buffer.seek(0)
    with tarfile.open(fileobj=buffer) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive.getmembers()}


def test_the_context_holds_the_worker_and_the_recipe_and_nothing_else():
    names = set(context())

    assert {name for name in names if not name.startswith(("grader/wire/", "grader/worker/"))} == {
        "Dockerfile",
        "constraints.txt",
        "grader/__init__.py",
    }
    assert {"grader/worker/relay.py", "grader/worker/serve.py", "grader/wire/codec.py"} <= names
    assert all(name.endswith(".py") for name in names if name.startswith("grader/"))


def test_wheels_travel_in_the_context(tmp_path):
    (tmp_path / "torch-1-py3-none-any.whl").write_bytes(b"wheel")

    assert context(tmp_path)["wheels/torch-1-py3-none-any.whl"] == b"wheel"


def test_a_folder_without_wheels_is_named(tmp_path):
    with pytest.raises(UsageError, match=re.escape(str(tmp_path))):
        context(tmp_path)


def test_the_context_is_the_same_bytes_every_time():
    first, second = io.BytesIO(), io.BytesIO()
    write_context(first, None)
    write_context(second, None)

    assert first.getvalue() == second.getvalue()


@pytest.mark.parametrize("change", ["content", "name", "one more"])
def test_the_digest_changes_with_the_worker(change, monkeypatch):
    before, files = image.worker_digest(), image.worker_files()
    content = files.pop("grader/worker/serve.py")
    changed = {
        "content": {**files, "grader/worker/serve.py": content + b" "},
        "name": {**files, "grader/worker/server.py": content},
        "one more": {**files, "grader/worker/serve.py": content, "grader/worker/new.py": b""},
    }[change]
    monkeypatch.setattr(image, "worker_files", lambda: changed)

    assert image.worker_digest() != before


def test_only_what_is_given_becomes_a_build_argument():
    assert BuildRequest().arguments() == {}
    assert BuildRequest(base="python:3.12-slim", torch_index="https://localhost/").arguments() == {
        "BASE": "python:3.12-slim",
        "TORCH_INDEX": "https://localhost/",
    }


def test_every_build_argument_is_one_of_the_dockerfiles():
    declared = set(re.findall(r"^ARG (\w+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))

    assert set(BuildRequest("b", None, "t", "p").arguments()) <= declared


class FailingEngine:
    """An engine whose builds end with an error."""

    class api:  # noqa: N801 - the SDK's name
        @staticmethod
        def build(**options: object) -> list[dict[str, str]]:
            return [{"stream": "Step 1/9"}, {"stream": "no space left"}, {"error": "it returned a non-zero code: 1"}]


def test_a_build_that_fails_says_its_last_words():
    lines: list[str] = []

    with pytest.raises(RunnerUnavailable, match=r"was not built: it returned a non-zero code: 1 no space left"):
        build.build(FailingEngine(), BuildRequest(), lines.append)
    assert lines == ["Step 1/9", "no space left"]


@pytest.mark.docker
def test_the_image_holds_nothing_of_the_verifier(client):
    found = client.containers.run(
        image.find(client),
        ["/opt/python/bin/python", "-I", "-c", SEARCH],
        network_mode="none",
        remove=True,
        user="0:0",
    )

    assert json.loads(found) == {
        "grader": ["__init__.py", "wire", "worker"],
        "solution": [],
        "volumes": False,
        "writable by the worker": [],
    }


SEARCH = """
import json, os, pathlib
import grader
names = ("assignment.toml", "check_rope.py", "rope.py", "kv_cache.py", "oracle", "bank_loader.py")
walked = [os.path.join(folder, name) for folder, folders, files in os.walk("/") for name in folders + files
          if not folder.startswith(("/proc", "/sys")) and "site-packages" not in folder]
grader_folder = pathlib.Path(grader.__file__).parent
others = [str(path) for path in [grader_folder, *grader_folder.rglob("*")] if path.stat().st_mode & 0o022]
print(json.dumps({
    "grader": sorted(p.name for p in grader_folder.iterdir() if p.name != "__pycache__"),
    "solution": [path for path in walked if os.path.basename(path) in names],
    "volumes": os.path.ismount("/opt"),
    "writable by the worker": others,
}))
"""
