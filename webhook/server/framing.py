"""Where an HTTP/1.1 request ends, told from its bytes alone: no sockets.

The server collects a request here before a thread sees it, so that a client which stops half-way holds no thread.
Source of the framing: RFC 9112, sections 6.1 to 6.3.
"""

import re
from typing import Final

MAX_HEAD: Final = 32 * 1024
"""Bytes of request line and header fields; an API server sends about one thousand."""
_END: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"\r\ncontent-length[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
_CODED: Final = re.compile(rb"\r\ntransfer-encoding[ \t]*:", re.IGNORECASE)
_EXPECT: Final = re.compile(rb"\r\nexpect[ \t]*:[ \t]*100-continue[ \t]*\r", re.IGNORECASE)


class OverlongHead(ValueError):
    """The head of a request is longer than `MAX_HEAD`."""


class RequestBuffer:
    """Collects the bytes of one request.

    A body whose end cannot be told from one Content-Length of at most ``max_body`` is not waited for: the head alone
    is the request then, marked ``Connection: close``, and the application says what is wrong with it.
    """

    def __init__(self, max_body: int, begun: bytes = b"") -> None:
        self._max_body = max_body
        self._data = bytearray()
        self._total: int | None = None
        self.expects_continue = False
        self.complete = False
        if begun:
            self.feed(begun)

    def __len__(self) -> int:
        return len(self._data)

    def feed(self, data: bytes) -> None:
        """Add what arrived. Raises OverlongHead."""
        searched = max(0, len(self._data) - len(_END) + 1)
        self._data += data
        if self._total is None:
            end = self._data.find(_END, searched)
            if end > MAX_HEAD or (end < 0 and len(self._data) > MAX_HEAD):
                raise OverlongHead(f"the head of the request is longer than {MAX_HEAD} bytes")
            if end >= 0:
                self._measure(end + len(_END))
        self.complete = self._total is not None and len(self._data) >= self._total

    def take(self) -> bytes:
        """Return the request and whatever came behind it.

        It expects nothing any more: who parses it would tell its client once more to go on.
        """
        if not self.expects_continue:
            return bytes(self._data)
        head = self._data.find(_END)
        return _EXPECT.sub(b"\r", bytes(self._data[: head + 2])) + bytes(self._data[head + 2 :])

    def _measure(self, head: int) -> None:
        fields = bytes(self._data[: head - 2])
        lengths = _LENGTH.findall(fields)
        if not lengths and not _CODED.search(fields):
            self._total = head
            return
        length = lengths[0].strip() if len(lengths) == 1 and not _CODED.search(fields) else b""
        # the digits are few, so the conversion is cheap
        if length.isdigit() and len(length) < 12 and int(length) <= self._max_body:
            self._total = head + int(length)
            self.expects_continue = _EXPECT.search(fields) is not None
            return
        del self._data[head:]
        # first among the fields, because the first Connection field is the one that counts
        line = self._data.find(b"\r\n") + 2
        self._data[line:line] = b"Connection: close\r\n"
        self._total = len(self._data)
