"""Run as ``python -I -m grader.worker``: frames in on standard input, frames out on standard output."""

from __future__ import annotations

import io
import os
import sys
from typing import BinaryIO, cast

import torch

from grader.wire import codec, frames
from grader.worker.serve import Request, Server


def main() -> None:
    """Serve until the verifier closes the stream."""
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

    server = Server()
    _send(answers, frames.pack(frames.READY, 0, codec.encode({"torch": torch.__version__})))
    while True:
        try:
            _, number, body = frames.read(requests)
        except frames.StreamEnded:
            break
        request = codec.decode(body, strided=True)
        answer = server.answer(cast("Request", request))
        _send(answers, frames.pack(frames.ANSWER, number, codec.encode(answer)))
    sys.stdout.flush()
    os._exit(0)  # a student's atexit hook or running thread must not keep the process


def _send(stream: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:  # an unbuffered stream may take less than it is offered
        view = view[stream.write(view) :]


if __name__ == "__main__":
    main()
