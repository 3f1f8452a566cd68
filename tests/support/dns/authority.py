"""An authoritative DNS server on loopback, over UDP and TCP, whose answers a test sets and changes at any time."""

import contextlib
import socket
import socketserver
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
from dns.rcode import Rcode

ATTEMPTS = 20


@dataclass(frozen=True)
class Name:
    """What the server knows about a name, and how it answers."""

    a: Sequence[str] = ()
    aaaa: Sequence[str] = ()
    alias: str = ""
    ttl: int = 60
    rcode: Rcode = Rcode.NOERROR
    delay: float = 0.0
    rcodes: dict[str, Rcode] = field(default_factory=dict)
    """The response codes of single types, as SERVFAIL for AAAA."""


class Authority:
    """Answers while the context lasts. A name that it does not know does not exist.

    ``asked`` lists the questions: name, type and transport.
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.names: dict[str, Name] = {}
        self.asked: list[tuple[str, str, str]] = []
        self._closed = threading.Event()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        udp, tcp = (type(each.__name__, (each,), {"address_family": family}) for each in (_Udp, _Tcp))
        for attempt in range(ATTEMPTS):
            self._udp = udp((host, 0), _Datagram)
            self.host, self.port = host, self._udp.server_address[1]
            try:
                self._tcp = tcp((host, self.port), _Connection)
                break
            except OSError:
                self._udp.server_close()
                if attempt + 1 == ATTEMPTS:
                    raise
        self._servers = (self._udp, self._tcp)
        for server in self._servers:
            server.authority = self

    def count(self, name: str) -> int:
        """How often a name was asked for, in any type."""
        return sum(each == name for each, _, _ in list(self.asked))

    def answer(self, wire: bytes, transport: str) -> bytes:
        query = dns.message.from_wire(wire)
        (question,) = query.question
        name, kind = question.name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(question.rdtype)
        self.asked.append((name, kind, transport))
        known = self.names.get(name)
        response = dns.message.make_response(query)
        response.flags |= dns.flags.AA
        response.set_rcode(Rcode.NXDOMAIN if known is None else known.rcodes.get(kind, known.rcode))
        if known is not None and known.delay:
            self._closed.wait(known.delay)
        if response.rcode() == Rcode.NOERROR:
            response.answer = self._records(name, kind)
        full = response.to_wire(max_size=65535)
        if transport == "tcp" or len(full) <= max(query.payload, 512):
            return full
        response.answer = []
        response.flags |= dns.flags.TC
        return response.to_wire()

    def _records(self, name: str, kind: str) -> list[dns.rrset.RRset]:
        """The records of a name; those of its alias follow."""
        found, seen = [], set()
        while (known := self.names.get(name)) is not None and name not in seen:
            seen.add(name)
            if known.alias:
                found.append(dns.rrset.from_text(f"{name}.", known.ttl, "IN", "CNAME", f"{known.alias}."))
                name = known.alias
                continue
            texts = {"A": known.a, "AAAA": known.aaaa}.get(kind, ())
            if texts:
                found.append(dns.rrset.from_text_list(f"{name}.", known.ttl, "IN", kind, list(texts)))
            break
        return found

    def __enter__(self) -> Self:
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()


class _Udp(socketserver.ThreadingUDPServer):
    max_packet_size = 65535
    authority: Authority


class _Tcp(socketserver.ThreadingTCPServer):
    authority: Authority


class _Datagram(socketserver.BaseRequestHandler):
    server: _Udp

    def handle(self) -> None:
        wire, sock = self.request
        with contextlib.suppress(OSError):
            sock.sendto(self.server.authority.answer(wire, "udp"), self.client_address)


class _Connection(socketserver.StreamRequestHandler):
    server: _Tcp
    timeout = 5

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            while size := self.rfile.read(2):
                answer = self.server.authority.answer(self.rfile.read(struct.unpack("!H", size)[0]), "tcp")
                self.wfile.write(struct.pack("!H", len(answer)) + answer)
                self.wfile.flush()
