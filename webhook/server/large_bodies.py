"""One large request at a time: WSGI middleware that limits the memory of a worker.

A parsed body takes many times the memory of its bytes. A request with a large body holds its worker's only slot until
its answer is written. Small requests do not wait.
"""

import json
import threading
from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from werkzeug.wsgi import ClosingIterator

from webhook.admission.responses import failure

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LARGE: Final = 128 * 1024
"""The size of a body, in bytes, above which a request is large. A network has a few thousand, a large Node half as many
as this.
"""
WAIT_SECONDS: Final = 4.0
"""Seconds that a large request waits for the slot: fewer than the worker's limit for its arrival."""
BUSY: Final = "ovnguard judges other large requests; try again"


class OneLargeBody:
    """An application that serves at most one large request at a time."""

    def __init__(self, application: "WSGIApplication", wait_seconds: float = WAIT_SECONDS) -> None:
        self._application = application
        self._wait_seconds = wait_seconds
        self._place = threading.Semaphore()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Serve one request; answer 503 when the slot does not become free in time."""
        if int(environ.get("CONTENT_LENGTH") or 0) <= LARGE:
            return self._application(environ, start_response)
        if not self._place.acquire(timeout=self._wait_seconds):
            body = json.dumps(failure(HTTPStatus.SERVICE_UNAVAILABLE, BUSY)).encode()
            head = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
            start_response("503 Service Unavailable", head)
            return [body]
        try:
            answer = self._application(environ, start_response)
        except BaseException:
            self._place.release()
            raise
        return ClosingIterator(answer, self._place.release)
