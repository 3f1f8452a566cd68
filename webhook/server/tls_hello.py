"""Whether a client has sent its TLS hello: looked up without reading it, so that a thread waits for no part of it.

The kernel wakes the poller at the number of bytes that `expect` sets (SO_RCVLOWAT, socket(7)).
"""

import select
import socket
from typing import Final

HEADER: Final = 5
"""Bytes of the header of a TLS record (RFC 8446, section 5.1): type, version and length."""
_HANDSHAKE: Final = bytes([22])
_MAX_RECORD: Final = 2**14


def missing(connection: socket.socket) -> int:
    """Return how many bytes must be there before a handshake can begin: those of the first record, or of its header.

    0 when they are there, or when what is there is no hello, which the handshake then refuses. Raises OSError when the
    connection is lost, and EOFError when the client has closed it before its hello was complete. The socket must not
    block.
    """
    try:
        header = connection.recv(HEADER, socket.MSG_PEEK)
    except BlockingIOError:
        return HEADER
    needed = _needed(connection, header)
    if not header or (needed and _is_closed(connection)):
        raise EOFError
    return needed


def _needed(connection: socket.socket, header: bytes) -> int:
    if header[:1] != _HANDSHAKE:
        return 0
    if len(header) < HEADER:
        return HEADER
    length = int.from_bytes(header[3:])
    record = HEADER + length
    if length > _MAX_RECORD or len(connection.recv(record, socket.MSG_PEEK)) == record:
        return 0
    return record


def _is_closed(connection: socket.socket) -> bool:
    """Whether the client will send no more."""
    ends = select.poll()
    ends.register(connection, select.POLLRDHUP)
    return bool(ends.poll(0))


def expect(connection: socket.socket, octets: int) -> None:
    """Let the socket count as readable, and let reading return, only when it has this many bytes or has ended."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, octets)


def expected(connection: socket.socket) -> int:
    """Return what `expect` has set."""
    return connection.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT)
