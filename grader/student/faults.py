"""From the worker's record of what went wrong to the failure that the student reads."""

from __future__ import annotations

import difflib

from grader.errors import CheckFailure, Outcome
from grader.wire.codec import Value

_MAX_SHOWN = 8
_MAX_NAMES, _MAX_NAME = 200, 100  # looking for the nearest of them must stay cheap, whatever the worker sends


def failure_of(record: Value, name: str) -> CheckFailure:
    """Return the failure for a worker's ``error`` record. Nothing in the record is trusted to have the right form.

    Args:
        name: what was called, in the contract's words.
    """
    fields = record if isinstance(record, dict) else {}
    kind = str(fields.get("kind"))
    if kind == "missing-module":
        module = str(fields.get("module"))
        return _error("submission.missing-module", module=module, file=module.replace(".", "/") + ".py")
    if kind == "missing-name":
        return _missing_name(fields)
    if kind == "missing-method":
        return _error("submission.missing-method", name=fields.get("name"), owner=fields.get("owner"))
    if kind == "not-a-module":
        return _error("submission.not-a-module", name=name, actual=fields.get("name"))
    if kind == "arguments":
        return _error("call.arguments", name=name, detail=fields.get("message"), signature=fields.get("signature"))
    if kind == "parameters":
        return _parameters(fields, name)
    if kind == "unsendable":
        return _error("result.unsendable", name=name, detail=fields.get("message"))
    if kind == "output-shape":
        return CheckFailure("result.shape", name=name, actual=fields.get("found"), expected=fields.get("shape"))
    if kind == "too-much":
        return _error("result.too-large", name=name, detail=fields.get("message"))
    arguments: dict[str, object] = {"name": name, "type": fields.get("type"), "detail": fields.get("message")}
    if kind == "syntax":
        arguments |= {"file": fields.get("file"), "line": fields.get("line")}
    if kind == "memory":
        return CheckFailure("worker.memory", outcome=Outcome.OOM, frames=_frames(fields), name=name)
    if kind == "device":
        return _error("worker.device", _frames(fields), **arguments)
    if fields.get("type") == "NotImplementedError":
        return _error("call.not-implemented", _frames(fields), **arguments)
    message = {"syntax": "submission.syntax", "import": "submission.import"}.get(kind, "call.raised")
    return _error(message, _frames(fields), **arguments)


def _missing_name(fields: dict[str, Value]) -> CheckFailure:
    wanted, module = str(fields.get("name"))[:_MAX_NAME], str(fields.get("module"))
    names = fields.get("names")
    found = [str(name)[:_MAX_NAME] for name in names[:_MAX_NAMES]] if isinstance(names, list) else []
    close = difflib.get_close_matches(wanted, found, n=1, cutoff=0.6)
    if close:
        return _error("submission.missing-name-close", name=wanted, module=module, close=close[0])
    mine = [name for name in found if name not in ("annotations", "torch", "nn", "math", "F", "Tensor")]
    return _error("submission.missing-name", name=wanted, module=module, found=", ".join(mine[:_MAX_SHOWN]) or "-")


def _parameters(fields: dict[str, Value], name: str) -> CheckFailure:
    found = fields.get("found")
    shapes = found if isinstance(found, dict) else {}
    wanted = str(fields.get("name"))
    if wanted in shapes:
        return _error(
            "parameters.shape", name=name, parameter=wanted, expected=fields.get("shape"), actual=shapes[wanted]
        )
    listed = ", ".join(f"{key} {value}" for key, value in list(shapes.items())[:_MAX_SHOWN]) or "-"
    return _error("parameters.missing", name=name, parameter=wanted, expected=fields.get("shape"), found=listed)


def _error(message: str, frames: list[dict[str, object]] | None = None, **arguments: object) -> CheckFailure:
    failure = CheckFailure(message, outcome=Outcome.STUDENT_ERROR, frames=frames)
    failure.arguments.update(arguments)
    return failure


def _frames(fields: dict[str, Value]) -> list[dict[str, object]]:
    frames = fields.get("frames")
    if not isinstance(frames, list):
        return []
    keys = ("file", "line", "function", "text")
    return [{key: frame.get(key) for key in keys} for frame in frames if isinstance(frame, dict)]
