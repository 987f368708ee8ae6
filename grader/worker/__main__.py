"""Run as ``python -I -m grader.worker``: frames in on standard input, frames out on standard output."""

from __future__ import annotations

import io
import os
import sys
from typing import BinaryIO, cast

import torch

from grader.wire import codec, frames
from grader.wire.codec import Value
from grader.worker.defences import Defences
from grader.worker.failures import StudentFault, describe
from grader.worker.serve import Request, Server


def main(defences: Defences | None = None) -> None:
    """Serve until the verifier closes the stream.

    Args:
        defences: made ready before this process was forked; None: to be made ready here.
    """
    requests = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    answers = cast("BinaryIO", os.fdopen(os.dup(1), "wb", buffering=0))
    if sys.platform == "win32":
        import msvcrt

        for stream in (requests, answers):
            msvcrt.setmode(stream.fileno(), os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # input() in a submission must not eat a request
    os.close(nothing)
    os.dup2(2, 1)  # a student's print() must not reach the protocol's stream
    cast("io.TextIOWrapper", sys.stdout).reconfigure(line_buffering=True)  # prints survive the end of the process

    active = (defences or Defences(os.environ)).apply(keep=(requests.fileno(), answers.fileno()))
    claims: dict[str, Value] = {"torch": torch.__version__, "defences": {**active}}
    server = Server()
    _send(answers, frames.pack(frames.READY, 0, codec.encode(claims)))
    while True:
        try:
            _, number, body = frames.read(requests)
        except frames.StreamEnded:
            break
        request = codec.decode(body, strided=True)
        _send(answers, _packed(number, server.answer(cast("Request", request))))
    sys.stdout.flush()
    os._exit(0)  # a student's atexit hook or running thread must not keep the process


def _packed(number: int, answer: dict[str, Value]) -> bytes:
    """The frame of an answer; of what is wrong with it when the student's results are more than a frame carries."""
    try:
        return _frame(number, answer)
    except (MemoryError, codec.ProtocolError, TypeError) as error:
        refused: dict[str, Value] = {"error": _refusal(error)}
    done: list[Value] = []
    for one in cast("list[dict[str, Value]]", answer.get("first", [])):
        done.append(_carried(one))
        if done[-1] is not one:
            return _frame(number, {"first": done})
    main = _carried({name: value for name, value in answer.items() if name != "first"})
    try:
        return _frame(number, {**main, "first": done} if done else main)
    except (MemoryError, codec.ProtocolError):  # each fits, but not all of them together
        return _frame(number, refused)


def _carried(answer: dict[str, Value]) -> dict[str, Value]:
    """The answer, or what is wrong with it."""
    try:
        codec.encode(answer)
    except (MemoryError, codec.ProtocolError, TypeError) as error:
        return {"error": _refusal(error)}
    return answer


def _refusal(error: Exception) -> Value:
    return describe(
        error if isinstance(error, MemoryError) else StudentFault("too-much", message=str(error)), kind="raised"
    )


def _frame(number: int, answer: dict[str, Value]) -> bytes:
    return frames.pack(frames.ANSWER, number, codec.encode(answer))


def _send(stream: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:  # an unbuffered stream may take less than it is offered
        view = view[stream.write(view) :]


if __name__ == "__main__":
    main()
