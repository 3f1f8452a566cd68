"""HTTP of a process: ``/healthz``, ``/readyz`` and ``/metrics``, with the server of the standard library.

A process is healthy while its loop comes back. It is ready when everything is listed, no watch has failed for a minute
and its last tick had no failure.
"""

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from socketserver import ThreadingMixIn
from typing import Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from wsgiref.types import StartResponse, WSGIEnvironment

from ovnguard.reconciler.loop.process.metrics import Metrics
from ovnguard.validators.cluster.watch_failures import WatchFailure, WatchFailures, described

STALLED: Final = 300.0
"""Seconds without a tick, beyond the pause between two, after which a process has hung."""
WATCH_FAILED: Final = 60.0
"""Seconds after which a watch that fails makes a process unready: what it knows may be as old."""


class Health:
    """What the loop says about itself; ``pause`` is the longest time between two ticks."""

    def __init__(self, pause: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._pause = pause
        self._monotonic = monotonic
        self._ticked = monotonic()
        self._unready: tuple[str, ...] = ("no tick has ended yet",)
        self._watches: list[WatchFailures] = []

    def follow(self, watches: WatchFailures) -> None:
        """Take notice of watches that fail, from now on."""
        self._watches.append(watches)

    def failing(self) -> tuple[WatchFailure, ...]:
        """Return the watches that have failed for so long that the process is not ready."""
        return tuple(each for watches in self._watches for each in watches.lasting(WATCH_FAILED))

    def watch_failures(self) -> Mapping[str, int]:
        """Return how often each resource could not be listed or watched."""
        return sum((Counter(watches.counts()) for watches in self._watches), Counter())

    def ticked(self, failures: Sequence[str], waiting: Sequence[str]) -> None:
        """Take notice of the end of a tick; ``waiting`` are resources that are not listed yet."""
        self._ticked = self._monotonic()
        self._unready = (*(f"{each} is not listed yet" for each in waiting), *failures)

    def unhealthy(self) -> str:
        """Return why the process should be restarted, '' while it should not."""
        silent = self._monotonic() - self._ticked
        return f"no tick has ended for {silent:.0f} s" if silent > self._pause + STALLED else ""

    def unready(self) -> str:
        """Return why the process is not ready, '' while it is."""
        return self.unhealthy() or "; ".join((*described(self.failing()), *self._unready))


class _Server(ThreadingMixIn, WSGIServer):
    """One thread for each request: a slow client keeps no probe waiting."""

    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Silent(WSGIRequestHandler):
    """Writes no line for each probe, and gives up on a client that sends nothing."""

    timeout = 10

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


class ProbeServer:
    """Answers on ``host`` and ``port``; port 0 is any free one. Raises OSError when that is not possible."""

    def __init__(self, host: str, port: int, health: Health, metrics: Metrics) -> None:
        self._health = health
        self._metrics = metrics
        self._server = make_server(host, port, self._answer, _Server6 if ":" in host else _Server, _Silent)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, name="probes", daemon=True)

    def start(self) -> None:
        """Answer from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        path, method = environ.get("PATH_INFO", ""), environ.get("REQUEST_METHOD", "")
        probes = {"/healthz": self._health.unhealthy, "/readyz": self._health.unready}
        kind, text, status = "text/plain; charset=utf-8", b"ok\n", "200 OK"
        if method not in {"GET", "HEAD"}:
            text, status = b"only GET\n", "405 Method Not Allowed"
        elif path == "/metrics":
            kind, text = self._metrics.exposition()
        elif path not in probes:
            text, status = b"not found\n", "404 Not Found"
        elif why := probes[path]():
            text, status = f"{why}\n".encode(), "503 Service Unavailable"
        start(status, [("Content-Type", kind), ("Content-Length", str(len(text)))])
        return [b"" if method == "HEAD" else text]
