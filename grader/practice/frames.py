"""Traceback lines of live objects: those of notebook cells and of the student's own files."""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback

import torch

import grader
from grader.wire.codec import Value
from grader.worker.failures import MAX_FRAMES
from grader.worker.failures import describe as describe_in_worker

_NOT_THEIRS = tuple(
    os.path.join(os.path.realpath(folder), "")
    for folder in (
        *(os.path.dirname(package.__file__ or "") for package in (grader, torch)),
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    )
)


def describe(error: BaseException, *, kind: str) -> dict[str, Value]:
    """As in the worker, where all files of the submission have relative paths; here none has."""
    record = describe_in_worker(error, kind=kind)
    if "frames" in record:
        frames: list[Value] = [
            {
                "file": shown(frame.filename),
                "line": frame.lineno or 0,
                "function": frame.name,
                "text": (frame.line or "").strip()[:200],
            }
            for frame in traceback.extract_tb(error.__traceback__)
            if _is_theirs(frame.filename)
        ]
        record["frames"] = frames[-MAX_FRAMES:]
    return record


def shown(filename: str) -> str:
    """What a person calls a file: ``Cell In[3]`` for a cell, where IPython knows it, else the file's own name."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    named = name_of(filename) if name_of is not None else None
    if named is not None:
        return " ".join(named)
    return filename if filename.startswith("<") else os.path.basename(filename)


def _is_theirs(filename: str) -> bool:
    if filename.startswith("<frozen "):
        return False
    return filename.startswith("<") or not os.path.realpath(filename).startswith(_NOT_THEIRS)
