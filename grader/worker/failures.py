"""What went wrong in the student's code, as plain values: kind, type, message and the student's own frames."""

from __future__ import annotations

import traceback

from grader.wire.codec import Value

MAX_MESSAGE = 4000
MAX_FRAMES = 12
_MEMORY = ("can't allocate memory", "std::bad_alloc", "CUDA out of memory", "CUDA error: out of memory")
"""As torch puts it."""

_DEVICE = ("CUDA error", "device-side assert")
_DEVICE_ERROR = "AcceleratorError"  # torch's own, since 2.8
"""After such an error nothing works on the device any more, in this process."""


class StudentFault(Exception):
    """A fault that the worker itself finds before or after the student's code runs.

    Args:
        kind: missing-module, missing-name, arguments, parameters, output-shape, unsendable or too-much.
        details: plain values for the message.
    """

    def __init__(self, kind: str, **details: Value) -> None:
        super().__init__(kind)
        self.kind, self.details = kind, details


def describe(error: BaseException, *, kind: str) -> dict[str, Value]:
    """Return the record of ``error``.

    Args:
        kind: ``raised`` or ``import``; a StudentFault, a syntax error, exhausted memory and a device that stopped say
            more than that.
    """
    if isinstance(error, StudentFault):
        return {"kind": error.kind, **error.details}
    record: dict[str, Value] = {"kind": kind, "type": type(error).__name__, "message": _text(error)}
    record["is_value_error"] = isinstance(error, ValueError)
    if isinstance(error, SyntaxError):
        record |= {"kind": "syntax", "file": str(error.filename), "line": error.lineno or 0, "message": str(error.msg)}
        record["frames"] = [_frame(str(error.filename), error.lineno or 0, "", error.text or "")]
        return record
    if isinstance(error, MemoryError) or any(words in str(record["message"]) for words in _MEMORY):
        record["kind"] = "memory"
    elif type(error).__name__ == _DEVICE_ERROR or any(words in str(record["message"]) for words in _DEVICE):
        record["kind"] = "device"
    frames = [
        _frame(frame.filename, frame.lineno or 0, frame.name, frame.line or "")
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(("/", "<"))
        and ":" not in frame.filename  # ours and torch's are absolute paths
    ]
    record["frames"] = list(frames[-MAX_FRAMES:])
    return record


def _frame(file: str, line: int, function: str, text: str) -> Value:
    return {"file": file, "line": line, "function": function, "text": text.strip()[:200]}


def _text(error: BaseException) -> str:
    try:
        return str(error)[:MAX_MESSAGE]
    except Exception:  # a student's __str__ may raise; the type's name must do
        return ""
