"""One cheap kit for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit_course import SEED, assignment

from grader import settings
from grader.catalogue import all_checks
from grader.kit import build


@pytest.fixture(scope="session")
def course(tmp_path_factory) -> Path:
    return assignment(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="session")
def kit(tmp_path_factory, course) -> Path:
    target = tmp_path_factory.mktemp("kits") / "kit"
    build.build(target, settings.load(course, all_checks()), SEED, 1, lambda check, done, total: None)
    return target
