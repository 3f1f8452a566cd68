"""The short way of a request that an API server sends: from its bytes to the bytes of the answer, without WSGI.

Half of a request's time went into the WSGI environment, Flask's routing and the hand-over between threads. So small
reviews, of a sort that is proven to be judged soon, are answered in the server's event loop. Whatever is out of the
ordinary in a request (a field that is not known here, no review, an unproven sort) is left to the application, which
answers it in full; `Express` says the same for those that it answers, by the same steps.
"""

import re
import time
from collections.abc import Callable
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final, NamedTuple, TypeAlias

Answer: TypeAlias = Callable[[str, bytes, bytes], tuple[int, bytes] | None]
"""From path, query and body to status and JSON; None where the application has to answer."""

LONGEST: Final = 16 * 1024
"""Bytes of a request that is answered in the event loop."""
_LONGEST_HEAD: Final = 2048
_LENGTH: Final = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,5})[ \t]*(?=\r\n)", re.IGNORECASE)
_OK: Final = b"HTTP/1.1 200 OK"
_PATHS: Final = frozenset({"/validate", "/mutate"})
_PLAIN: Final = frozenset(
    {
        b"accept",
        b"accept-encoding",
        b"authorization",
        b"baggage",
        b"host",
        b"traceparent",
        b"tracestate",
        b"user-agent",
    }
)
"""Fields that change nothing about the answer."""


class Target(NamedTuple):
    """What the head of a plain request asks for."""

    path: str
    query: bytes


@lru_cache(maxsize=256)
def target(head: bytes) -> Target | None:
    """Read the head of a request, with its empty line but without its length; None where anything is not plain.

    An API server sends the same few heads again and again, so they are remembered.
    """
    lines = head.split(b"\r\n")
    words = lines[0].split(b" ")
    if len(words) != 3 or words[0] != b"POST" or words[2] != b"HTTP/1.1":
        return None
    path, _, query = words[1].partition(b"?")
    fields: dict[bytes, bytes] = {}
    for line in lines[1:-2]:
        name, colon, value = line.partition(b":")
        name, value = name.lower(), value.strip(b" \t")
        if not colon or name in fields or not value.isascii() or not value.decode("ascii").isprintable():
            return None
        fields[name] = value
    own = (fields.pop(b"content-type", b""), fields.pop(b"connection", b"keep-alive").lower())
    known = fields.keys() <= _PLAIN and b"host" in fields and own == (b"application/json", b"keep-alive")
    text = path.decode("latin-1")
    return Target(text, query) if known and text in _PATHS else None


class Express:
    """Answers plain requests by ``answer``. Who has called it calls `tell` before an answer is sent."""

    def __init__(self, answer: Answer, tell: Callable[[], None]) -> None:
        """``tell`` tells log and metrics of the answers since it was called before."""
        self._answer = answer
        self.tell = tell
        self._second = 0
        self._date = b""

    def __call__(self, request: bytes) -> bytes | None:
        """Return the whole HTTP answer to a whole HTTP request, or None where this is not the way for it."""
        if len(request) > LONGEST:
            return None
        end = request.find(b"\r\n\r\n", 0, _LONGEST_HEAD) + 4
        length = _LENGTH.search(request, 0, end)
        if length is None:
            return None
        # lengths differ, heads without them hardly ever; a second length is a field that is not known
        asked = target(request[: length.start()] + request[length.end() : end])
        # what stands behind the body is the next request: those who send two at once are not hurried
        if asked is None or len(request) != end + int(length[1]):
            return None
        found = self._answer(asked.path, asked.query, request[end:])
        if found is None:
            return None
        status, body = found
        line = _OK if status == HTTPStatus.OK else b"HTTP/1.1 %d %b" % (status, HTTPStatus(status).phrase.encode())
        return b"%b\r\n%bContent-Length: %d\r\n\r\n%b" % (line, self._fields(), len(body), body)

    def _fields(self) -> bytes:
        """The fields that all answers have, made once a second."""
        second = int(time.time())
        if second != self._second:
            date = formatdate(second, usegmt=True)
            text = f"Server: gunicorn\r\nDate: {date}\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"
            self._second, self._date = second, text.encode()
        return self._date
