"""Chromium for tests: one process, spoken to through a pipe (its DevTools protocol), each page in a tab of its own."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_PATIENCE = 60.0


def program() -> str | None:
    """Where Chromium is, if it is."""
    return next((found for found in map(shutil.which, NAMES) if found), None)


class Chromium:
    """A running browser; ``close`` ends it with all its processes."""

    def __init__(self, profile: Path) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        command = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'  # the protocol's pipes are 3 and 4
        self._process = subprocess.Popen(
            ["bash", "-c", command, program(), *_FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._last, self._buffer = 0, b""
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Ask, and wait for the answer; events that come meanwhile are kept."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + _PATIENCE
        while True:
            answer = self._next(deadline)
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method: str, session: str) -> None:
        """Wait for an event of a tab."""
        deadline = time.monotonic() + _PATIENCE
        while not any(one.get("method") == method and one.get("sessionId") == session for one in self.events):
            self.events.append(self._next(deadline))

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._read)
        os.close(self._write)

    def _next(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            readable, _, _ = select.select([self._read], [], [], max(0.0, deadline - time.monotonic()))
            assert readable, "Chromium does not answer"
            more = os.read(self._read, 1 << 20)
            assert more, "Chromium has ended"
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)


@dataclass
class Tab:
    """One page at one width."""

    chromium: Chromium
    session: str

    def evaluate(self, expression: str) -> Any:
        result = self.chromium.call("Runtime.evaluate", self.session, expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def click(self, selector: str) -> None:
        """Click as a mouse does, in the middle of the element."""
        place = f"(() => {{ const b = document.querySelector({selector!r}).getBoundingClientRect();"
        x, y = self.evaluate(f"{place} return [b.x + b.width / 2, b.y + b.height / 2] }})()")
        for kind in ("mousePressed", "mouseReleased"):
            self.chromium.call(
                "Input.dispatchMouseEvent", self.session, type=kind, x=x, y=y, button="left", clickCount=1
            )

    def press(self, key: str) -> None:
        """Press a key, by its name in ``KeyboardEvent.key``."""
        for kind in ("keyDown", "keyUp"):
            self.chromium.call("Input.dispatchKeyEvent", self.session, type=kind, key=key)

    def dark(self) -> None:
        """As for a reader who prefers dark pages."""
        features = [{"name": "prefers-color-scheme", "value": "dark"}]
        self.chromium.call("Emulation.setEmulatedMedia", self.session, features=features)

    def named_images(self) -> list[str]:
        """What a screen reader says of each image."""
        nodes = self.chromium.call("Accessibility.getFullAXTree", self.session)["nodes"]
        return [one["name"]["value"] for one in nodes if one.get("role", {}).get("value") in ("image", "img")]

    def spoken(self) -> str:
        """All that a screen reader can read."""
        nodes = self.chromium.call("Accessibility.getFullAXTree", self.session)["nodes"]
        texts = [one for one in nodes if one.get("role", {}).get("value") == "StaticText"]
        return "\n".join(one["name"]["value"] for one in texts)

    def complaints(self) -> list[str]:
        """Everything in the console."""
        self.evaluate("0")  # takes in what is on its way
        logged = self._events("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [json.dumps(one["params"]) for one in logged]

    def requested(self) -> list[str]:
        """Addresses of all requests."""
        self.evaluate("0")
        return [one["params"]["request"]["url"] for one in self._events("Network.requestWillBeSent")]

    def screenshot(self, file: Path) -> None:
        result = self.chromium.call("Page.captureScreenshot", self.session, captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(result["data"]))

    def _events(self, *methods: str) -> list[dict[str, Any]]:
        return [
            one for one in self.chromium.events if one.get("sessionId") == self.session and one["method"] in methods
        ]


@contextlib.contextmanager
def tab(chromium: Chromium, file: Path, width: int) -> Iterator[Tab]:
    """Open ``file`` in a window of ``width`` CSS pixels."""
    target = chromium.call("Target.createTarget", url="about:blank")["targetId"]
    session = chromium.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        chromium.call(f"{domain}.enable", session)
    phone = width < 600
    chromium.call(
        "Emulation.setDeviceMetricsOverride", session, width=width, height=800, deviceScaleFactor=1, mobile=phone
    )
    chromium.call("Page.navigate", session, url=file.as_uri())
    chromium.wait_for("Page.loadEventFired", session)
    try:
        yield Tab(chromium, session)
    finally:
        chromium.call("Target.closeTarget", targetId=target)
