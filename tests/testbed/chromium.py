"""A headless Chromium with one page, driven by the Chrome DevTools Protocol.

It starts in about a second. It reaches no network: every name is unknown to it, and each request is kept in `requests`.
"""

import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from websocket import WebSocket, WebSocketTimeoutException, create_connection

from tests.testbed.parts import Part
from tests.testbed.process import BedError, Child, scratch, wait_until

SECONDS: Final = 60.0
_BROWSER: Final = "/devtools/browser/"
# As root, and in containers, its own sandbox cannot start. Its children are started through the wrapper of the part.
_OPTIONS: Final = (
    *("--headless", "--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-port=0"),
)
_FONTS: Final = '<?xml version="1.0"?><fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>'
_KEYS: Final[Mapping[str, Mapping[str, object]]] = {
    "Tab": {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9},
    "Enter": {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
}


class Chromium:
    """The browser; ``problems`` are errors of its console and its log, ``requests`` are URLs, since the last `open`."""

    def __init__(self, part: Part, log: Path) -> None:
        self._part, self._log = part, log
        self._stack = contextlib.ExitStack()
        self._socket: WebSocket
        self._number = 0
        self._session = ""
        self._events: list[tuple[str, Mapping[str, Any]]] = []

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            home = stack.enter_context(scratch("chromium"))
            self._socket = create_connection(self._started(stack, home), timeout=SECONDS, suppress_origin=True)
            stack.callback(self._socket.close)
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _started(self, stack: contextlib.ExitStack, home: Path) -> str:
        """Start the browser; return the address of its socket."""
        tool, fonts = self._part.tool("chromium-headless-shell"), self._part.file("DejaVuSansMono.ttf").parent
        config = home / "fonts.conf"
        config.write_text(_FONTS.format(fonts=fonts, cache=home / "fonts"), encoding="utf-8")
        options = (*_OPTIONS, f"--browser-subprocess-path={tool}", f"--user-data-dir={home / 'profile'}", "about:blank")
        child = stack.enter_context(Child("chromium", [tool, *options], self._log, {"FONTCONFIG_FILE": str(config)}))
        address = home / "profile" / "DevToolsActivePort"
        wait_until(lambda: address.exists() and _BROWSER in address.read_text(), "chromium listens", SECONDS, [child])
        port, path = address.read_text().split()
        return f"ws://127.0.0.1:{port}{path}"

    def call(self, method: str, **arguments: object) -> Mapping[str, Any]:
        """Return the result of a method of the protocol; raises BedError."""
        self._number += 1
        session = {"sessionId": self._session} if self._session else {}
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": arguments, **session}))
        while (message := self._received(method)).get("id") != self._number:
            pass
        if "error" in message:
            raise BedError(f"{method}: {message['error']['message']}")
        result: Mapping[str, Any] = message["result"]
        return result

    def _received(self, awaited: str) -> Mapping[str, Any]:
        """The next message, which is kept if it is an event."""
        try:
            message: Mapping[str, Any] = json.loads(self._socket.recv())
        except WebSocketTimeoutException:
            raise BedError(f"{awaited}: chromium did not answer within {SECONDS:.0f} s") from None
        if "method" in message:
            self._events.append((message["method"], message["params"]))
        return message

    def open(self, url: str) -> float:
        """Open a page and return the seconds until its load event and two frames after it; raises BedError."""
        self._events.clear()
        started = time.monotonic()
        failed = self.call("Page.navigate", url=url).get("errorText")
        if failed:
            raise BedError(f"{url}: {failed}")
        while not any(name == "Page.loadEventFired" for name, _ in self._events):
            self._received(url)
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        return time.monotonic() - started

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression in the page, awaited if it is a promise; raises BedError."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BedError(str(answer["exceptionDetails"]["exception"]["description"]))
        return answer["result"].get("value")

    def emulate(self, media: str = "", **features: str) -> None:
        """Be a printer (``print``) or a screen, with media features such as ``prefers_color_scheme``."""
        known = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", media=media, features=known)

    def press(self, key: str) -> None:
        """Press and release ``Tab`` or ``Enter``."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, **_KEYS[key])

    @property
    def requests(self) -> Sequence[str]:
        """The URLs that the page asked for, its own included."""
        return [str(event["request"]["url"]) for name, event in self._events if name == "Network.requestWillBeSent"]

    @property
    def problems(self) -> Sequence[str]:
        """Errors and warnings of scripts, of the console and of the browser's log."""
        return [text for name, event in self._events if (text := _problem(name, event))]


def _problem(name: str, event: Mapping[str, Any]) -> str:
    if name == "Runtime.exceptionThrown":
        return str(event["exceptionDetails"]["text"])
    if name == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
        return str(event["entry"]["text"])
    if name == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
        return " ".join(str(each.get("value", "")) for each in event["args"])
    return ""
