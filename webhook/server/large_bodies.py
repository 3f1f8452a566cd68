"""Few large requests at a time: WSGI middleware that limits the memory of a worker.

A parsed body takes many times the memory of its bytes. A request with a large body holds its worker's only slot while
it is read and judged. A medium one is read first and then judged in one of a few slots, so a client that sends slowly
holds none of them. Small requests do not wait.
"""

import json
import threading
import time
from collections.abc import Iterable
from http import HTTPStatus
from io import BytesIO
from typing import TYPE_CHECKING, Final

from ovnguard.webhook.admission.call_timeout import seconds_of
from ovnguard.webhook.admission.responses import failure
from ovnguard.webhook.app import ARRIVED, REQUEST_READ

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LARGE: Final = 128 * 1024
"""The size of a body, in bytes, above which a request is large. A network has a few thousand, a large Node half as many
as this.
"""
MEDIUM: Final = 16 * 1024
"""The size of a body, in bytes, above which a request is medium."""
MEDIUM_SLOTS: Final = 2
"""How many medium requests a worker judges at a time: one that takes long does not hold up another one."""
WAIT_SECONDS: Final = 4.0
"""Seconds that a request waits for a slot: fewer than the worker's limit for its arrival. A call with a shorter timeout
waits no longer than its judgement may take.
"""
BUSY: Final = "ovnguard judges other large requests; try again"


class BodySlots:
    """An application that serves at most one large request at a time, and judges at most a few medium ones."""

    def __init__(self, application: "WSGIApplication", wait_seconds: float = WAIT_SECONDS) -> None:
        self._application = application
        self._wait_seconds = wait_seconds
        self._large = threading.Semaphore()
        self._medium = threading.Semaphore(MEDIUM_SLOTS)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Serve one request; answer 503 when no slot becomes free in time."""
        environ[ARRIVED] = time.monotonic()
        length = int(environ.get("CONTENT_LENGTH") or 0)
        if length <= MEDIUM:
            return self._application(environ, start_response)
        slot = self._large
        if length <= LARGE:
            slot = self._medium
            environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read(length))
            if REQUEST_READ in environ:
                environ[REQUEST_READ]()
        if not slot.acquire(timeout=min(self._wait_seconds, seconds_of(environ.get("QUERY_STRING", "")))):
            return _busy(start_response)
        try:
            return self._application(environ, start_response)
        finally:
            slot.release()


def _busy(start_response: "StartResponse") -> Iterable[bytes]:
    body = json.dumps(failure(HTTPStatus.SERVICE_UNAVAILABLE, BUSY)).encode()
    head = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    start_response("503 Service Unavailable", head)
    return [body]
