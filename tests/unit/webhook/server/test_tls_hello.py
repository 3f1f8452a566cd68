"""What of a TLS hello is there, without reading it."""

import select
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress

import pytest

from ovnguard.webhook.server.tls_hello import expect, expected, missing


def hello() -> bytes:
    """The first record of a client."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


HELLO = hello()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A client and the server's end, which does not block."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
    server.setblocking(False)
    with client, server:
        yield client, server


def arrived(server: socket.socket, octets: int) -> None:
    """Wait until so many bytes are there, and not more than a hung test does."""
    expect(server, octets)
    assert select.select([server], [], [], 5)[0]


@pytest.mark.parametrize(
    ("sent", "more"),
    [
        (HELLO[:1], 5),
        (HELLO[:4], 5),
        (HELLO[:5], len(HELLO)),
        (HELLO[:-1], len(HELLO)),
        (HELLO, 0),
        (HELLO + HELLO, 0),
        (b"GET / HTTP/1.1\r\n", 0),
        (b"\x80", 0),
        (b"\x16\x03\x01\x40\x01", 0),
        (b"\x16\x03\x01\x40\x00", 5 + 2**14),
    ],
    ids=["1 byte", "4 bytes", "header", "all but one", "whole", "more", "no TLS", "no record", "too long", "longest"],
)
def test_what_is_missing(pair: tuple[socket.socket, socket.socket], sent: bytes, more: int) -> None:
    client, server = pair
    client.sendall(sent)
    arrived(server, len(sent))
    assert [missing(server), missing(server)] == [more, more], "looked at, not read"
    assert server.recv(len(sent)) == sent


def test_nothing_is_there_yet(pair: tuple[socket.socket, socket.socket]) -> None:
    assert missing(pair[1]) == 5


@pytest.mark.parametrize("sent", [b"", HELLO[:1], HELLO[:-1]], ids=["nothing", "1 byte", "all but one"])
def test_a_closed_connection(pair: tuple[socket.socket, socket.socket], sent: bytes) -> None:
    client, server = pair
    client.sendall(sent)
    client.shutdown(socket.SHUT_WR)
    arrived(server, len(HELLO))
    with pytest.raises(EOFError):
        missing(server)


def test_a_whole_hello_of_a_client_that_sends_no_more(pair: tuple[socket.socket, socket.socket]) -> None:
    client, server = pair
    client.sendall(HELLO)
    client.shutdown(socket.SHUT_WR)
    arrived(server, len(HELLO) + 1)
    assert missing(server) == 0


def test_the_poller_wakes_at_the_expected_byte_or_at_the_end(pair: tuple[socket.socket, socket.socket]) -> None:
    client, server = pair
    expect(server, 5)
    assert expected(server) == 5
    client.sendall(HELLO[:4])
    assert select.select([server], [], [], 0.05)[0] == []
    client.sendall(HELLO[4:5])
    assert select.select([server], [], [], 5)[0] == [server]
    expect(server, 6)
    assert select.select([server], [], [], 0.05)[0] == []
    client.shutdown(socket.SHUT_WR)
    assert select.select([server], [], [], 5)[0] == [server]
