"""One container: its life, the socket to its relay, and the worker that runs in it.

Three traps of the engine's API shape this file:

* a container whose attached client does not read can be neither killed nor removed until the client goes away
  (moby/moby#41827), so the socket is shut down before anything else;
* only a container created with ``detach=False`` sees the end of its standard input when the grader is killed;
* a container must be attached to before it starts (``Attachment``).
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
import time
from typing import Any, BinaryIO, cast

from grader.errors import RunnerUnavailable
from grader.runners.docker.attach import Attachment
from grader.runners.docker.engine import LABEL, Client, still_answers, trouble
from grader.runners.docker.memory import MemoryWatch
from grader.runners.docker.streams import STDOUT, EngineDecoder
from grader.runners.docker.worker import RelayedWorker
from grader.runners.launch import Launched
from grader.wire import relayed
from grader.wire.codec import ProtocolError

_TICK = 0.25  # seconds after which a blocked socket call looks whether it still should
_KEPT = 4000
_NAME = f"{LABEL}.name"
PYTHON = "/opt/python/bin/python"


class Container:
    """A started container. Everything that comes out of it is untrusted.

    Args:
        image: id of an image that holds the worker.
        options: see ``options.create_options``.
        lifetime: seconds after which its relay ends by itself, should the grader be gone.

    Raises:
        RunnerUnavailable: the engine did not start it.
    """

    def __init__(
        self, client: Client, image: str, options: dict[str, Any], *, labels: dict[str, str], lifetime: float
    ) -> None:
        self._client = client
        self._worker: RelayedWorker | None = None
        self._sending = threading.Lock()
        self._removing = threading.Lock()
        self._removed = False
        self._up = threading.Event()
        self._over = False
        self._said = bytearray()
        self._attached: Attachment | None = None
        self._reader: threading.Thread | None = None
        command = [PYTHON, "-I", "-B", "-X", "utf8", "-m", "grader.worker.relay", str(int(lifetime))]
        name = {_NAME: secrets.token_hex(8)}
        with trouble("the engine did not create a container"):
            self.memory = MemoryWatch(client, label=f"{_NAME}={name[_NAME]}")
            try:
                self._container = client.containers.create(
                    image, command, labels=labels | name, stdin_open=True, detach=False, auto_remove=True, **options
                )
            except BaseException:  # whatever it was, no watch stays; it is raised again
                self.memory.close()
                raise
        self.id: str = self._container.id
        try:
            with trouble("the engine did not start a container"):
                self._attached = Attachment(self._container, tick=_TICK)
                self._reader = threading.Thread(
                    target=self._read, args=(self._attached.socket,), name="grader-container", daemon=True
                )
                self._reader.start()
                self._container.start()
        except BaseException:  # whatever it was, no container stays; it is raised again
            self.end()
            raise

    @property
    def usable(self) -> bool:
        """Whether another worker can be started in it now."""
        return not self._over and (self._worker is None or self._worker.ended.is_set())

    def wait_until_up(self, seconds: float) -> None:
        """Wait until the relay has imported torch. Raises RunnerUnavailable."""
        if self._up.wait(seconds) and not self._over:
            return
        reason = "it ended" if self._over else f"not up after {seconds:g} s"
        self.end()
        said = self._said.decode("utf-8", "replace").strip()[-2000:]
        raise RunnerUnavailable(f"the worker's container did not start ({reason}): {said or 'it said nothing'}")

    def launch(self) -> Launched:
        """Start a worker in it; its READY frame is still to come."""
        self._worker = worker = RelayedWorker(self, self.memory)
        with contextlib.suppress(OSError):  # a container that has ended shows in the answers' end
            self.send(relayed.pack(relayed.START))
        if self._over:
            worker.lose()
        return Launched(
            cast("BinaryIO", worker.requests),
            cast("BinaryIO", worker.answers),
            cast("BinaryIO", worker.errors),
            kill=worker.kill,
            reap=worker.reap,
            postmortem=worker.postmortem,
        )

    def send(self, data: bytes, *, seconds: float = float("inf")) -> None:
        """Send messages to the relay. Raises OSError when the container is over or does not take them in time."""
        deadline = time.monotonic() + seconds
        if not self._sending.acquire(timeout=min(seconds, threading.TIMEOUT_MAX)):
            raise TimeoutError("another thread is still sending")
        try:
            view = memoryview(data)
            while view:
                if self._over or self._attached is None:
                    raise OSError("the container is over")
                try:
                    view = view[self._attached.socket.send(view) :]
                except TimeoutError:
                    if time.monotonic() > deadline:
                        raise
        finally:
            self._sending.release()

    def engine_answers(self) -> bool:
        """See ``engine.still_answers``."""
        return still_answers(self._client)

    def end(self) -> None:
        """Kill and remove it, whatever state it is in. Safe to call twice and from any thread."""
        self._finish_streams()
        with self._removing:
            if self._removed:
                return
            self._removed = True
            self._detach()
            self._remove()
            self.memory.close()

    def _detach(self) -> None:
        """Close the socket: before all else, or the engine waits for us to read."""
        if self._attached is None:
            return
        self._attached.shut()
        if self._reader is not None and self._reader is not threading.current_thread():
            self._reader.join(timeout=5 * _TICK)
        self._attached.close()

    def _remove(self) -> None:
        """Ask the engine until the container is gone; one that stays is swept by the next grader."""
        import docker.errors

        if not still_answers(self._client):
            return  # its relay ends with the connection, and the container with it
        with contextlib.suppress(RunnerUnavailable), trouble("the container was not removed"):
            try:
                self._client.api.remove_container(self.id, force=True, v=True)
            except docker.errors.NotFound:
                return
            except docker.errors.APIError as error:
                if error.status_code != 409:  # it is being removed
                    raise
                with contextlib.suppress(docker.errors.NotFound):
                    self._client.api.wait(self.id, condition="removed")

    def _read(self, source: socket.socket) -> None:
        """Take bytes off the socket, always, so that neither the relay nor the engine waits for us."""
        engine, messages = EngineDecoder(), relayed.Decoder()
        try:
            while not self._over:
                try:
                    data = source.recv(1 << 16)
                except TimeoutError:
                    continue
                if not data:
                    break
                for stream, piece in engine.feed(data):
                    if stream == STDOUT:
                        for kind, payload in messages.feed(piece):
                            self._receive(kind, payload)
                    else:
                        self._said = (self._said + piece)[-_KEPT:]
        except (OSError, ProtocolError):
            pass  # a relay that breaks its protocol is one that a submission got at: the container is over
        self._finish_streams()

    def _receive(self, kind: int, payload: bytes) -> None:
        if kind == relayed.UP:
            self._up.set()
        elif self._worker is not None:
            self._worker.receive(kind, payload)

    def _finish_streams(self) -> None:
        self._over = True
        self._up.set()
        if self._worker is not None:
            self._worker.lose()
