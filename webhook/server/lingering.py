"""Connections that are answered but not yet closed: what their clients still send is read away.

A client that is sending when its connection is closed loses the answer (RFC 9112, 9.6). gunicorn waits for that in the
event loop, up to two seconds for each connection; here all of them linger beside one another.
"""

import selectors
import socket
import time
from typing import Any, Final

from gunicorn import util

LINGER_SECONDS: Final = 1.0
MAX_LINGERING: Final = 64
_CHUNK: Final = 64 * 1024


class Lingering:
    """The sockets that linger, each until its client is silent or its time is over."""

    def __init__(self) -> None:
        self._deadlines: dict[Any, float] = {}

    def close(self, raw: Any, poller: selectors.BaseSelector) -> None:
        """Close a socket whose last answer is sent, at once where too many linger already."""
        if len(self._deadlines) >= MAX_LINGERING:
            util.close(raw)
            return
        try:
            raw.shutdown(socket.SHUT_WR)
            raw.setblocking(False)
            poller.register(raw, selectors.EVENT_READ, lambda _socket: self._read_away(raw, poller))
        except (OSError, ValueError, KeyError):
            util.close(raw)
            return
        self._deadlines[raw] = time.monotonic() + LINGER_SECONDS

    def expire(self, now: float, poller: selectors.BaseSelector) -> None:
        """End those whose time is over."""
        for raw, deadline in list(self._deadlines.items()):
            if now >= deadline:
                self._end(raw, poller)

    def _read_away(self, raw: Any, poller: selectors.BaseSelector) -> None:
        try:
            if raw.recv(_CHUNK):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._end(raw, poller)

    def _end(self, raw: Any, poller: selectors.BaseSelector) -> None:
        del self._deadlines[raw]
        poller.unregister(raw)
        util.close(raw)
