"""A worker reached through three byte streams, whatever kind of process is behind them."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Mapping

from grader.errors import Outcome, RunnerUnavailable, WorkerLost
from grader.runners.base import Files, Limits
from grader.runners.launch import Launched
from grader.runners.watchdog import Watchdog
from grader.wire import codec, frames
from grader.wire.codec import ProtocolError, Value


class PipeWorker:
    """Speaks frames with a launched worker and drains what it prints.

    Attributes:
        defences: what the worker says about its own, by name; for people only, nothing is decided by it.
    """

    def __init__(self, launched: Launched, limits: Limits) -> None:
        self._requests, self._answers, self._errors = launched.requests, launched.answers, launched.errors
        self._limits, self._kill, self._reap = limits, launched.kill, launched.reap
        self._postmortem = launched.postmortem
        self._printed = bytearray()
        self._printed_total = 0
        self._flooded = False
        self.alive = True
        self.defences: dict[str, str] = {}
        self._watchdog = Watchdog(launched.kill)
        self._drain = threading.Thread(target=self._read_errors, name="grader-stderr", daemon=True)
        self._drain.start()

    def wait_until_ready(self, files: Files) -> None:
        """Wait for the ready frame, then hand the sources over. Raises RunnerUnavailable: up to here it is our time."""
        try:
            with self._watchdog.limit(self._limits.start):
                kind, _, body = frames.read(self._answers)
            self.defences = _claims(body)
            if kind != frames.READY:
                raise ProtocolError(f"first frame is of kind {kind}")
            self.ask({"op": "load", "files": dict(files)}, seconds=self._limits.start)
        except (frames.StreamEnded, ProtocolError, WorkerLost) as error:
            self.close()
            said = self.output()  # after the end of the stream, so that the last words are in it
            raise RunnerUnavailable(
                f"the worker did not start ({error}): {said[-2000:] or 'it said nothing'}"
            ) from None

    def ask(self, request: Mapping[str, Value], *, seconds: float) -> dict[str, Value]:
        """See Worker.ask."""
        number = secrets.randbits(64)  # so that no answer can be written before its request
        frame = frames.pack(frames.REQUEST, number, codec.encode(dict(request)))
        try:
            with self._watchdog.limit(seconds):
                with contextlib.suppress(OSError):  # a dead worker is reported by the read
                    self._write(frame)
                kind, echoed, body = frames.read(self._answers)
            if (kind, echoed) != (frames.ANSWER, number):
                raise ProtocolError("an answer to another request")  # its number is chance: reports must not hold it
            answer = codec.decode(body)
            if not isinstance(answer, dict):
                raise ProtocolError("an answer that is not a map")
        except (frames.StreamEnded, ProtocolError, OSError, ValueError) as error:
            raise self._lost(error, seconds) from None
        return answer

    def output(self) -> str:
        """See Worker.output."""
        return bytes(self._printed).decode("utf-8", "replace")

    def close(self) -> None:
        """See Worker.close."""
        self.alive = False
        self._watchdog.stop()
        self._kill()
        self._reap()
        for stream in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                stream.close()
        self._drain.join(timeout=1.0)  # a stray process of the submission may hold the pipe open
        if not self._drain.is_alive():
            self._errors.close()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:  # an unbuffered stream may take less than it is offered
            view = view[self._requests.write(view) :]

    def _lost(self, error: Exception, seconds: float) -> WorkerLost | RunnerUnavailable:
        self.alive = False
        expired, flooded = self._watchdog.expired, self._flooded
        if not isinstance(error, frames.StreamEnded):
            self._kill()
        ending = self._reap()
        outcome = self._postmortem()
        self.close()
        if outcome is Outcome.GRADER_ERROR:
            return RunnerUnavailable("the place where the submission ran is gone")
        if expired:
            return WorkerLost("worker.timeout", outcome=Outcome.TIMEOUT, seconds=f"{seconds:g}")
        if flooded:
            return WorkerLost("worker.output", outcome=Outcome.OUTPUT_LIMIT, mebibytes=self._limits.output >> 20)
        if isinstance(error, ProtocolError):
            return WorkerLost("worker.protocol", outcome=Outcome.PROTOCOL, detail=str(error))
        if outcome is Outcome.OOM:
            return WorkerLost("worker.oom", outcome=Outcome.OOM)
        return WorkerLost("worker.crash", outcome=Outcome.CRASH, ending=ending)

    def _read_errors(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while True:
                part = self._errors.read(65536)  # unbuffered: returns what is there
                if not part:
                    return
                self._printed += part[: max(0, self._limits.kept_output - len(self._printed))]
                self._printed_total += len(part)
                if self._printed_total > self._limits.output and not self._flooded:
                    self._flooded = True
                    self._kill()


def _claims(body: bytes) -> dict[str, str]:
    """What the ready frame says about defences."""
    value = codec.decode(body)
    claims = value.get("defences") if isinstance(value, dict) else None
    return {name: str(claim) for name, claim in claims.items()} if isinstance(claims, dict) else {}
