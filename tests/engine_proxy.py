"""Stands between a client and the engine, so that a test can take the engine away in the middle of a call."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path


class EngineProxy:
    """Forwards every connection to the engine's socket until ``stop``."""

    def __init__(self, folder: Path, engine: str) -> None:
        self._engine, self._path = engine, folder / "engine.sock"
        self.address = f"unix://{self._path}"
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        """Nobody listens any more, and what was open ends."""
        self._path.unlink(missing_ok=True)
        for one in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._open.clear()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.socket(socket.AF_UNIX)
                self._open += [near, far]
                if far.connect_ex(self._engine):
                    near.close()
                    continue
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    @staticmethod
    def _forward(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
