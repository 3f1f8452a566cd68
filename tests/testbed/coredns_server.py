"""A real CoreDNS on loopback that serves a Corefile which others change."""

import http.client
import socket
from pathlib import Path
from typing import Self

from tests.testbed.parts import Part
from tests.testbed.process import Child, wait_until

START_SECONDS = 30.0
_ADDRESS = "127.0.0.1"


def free_ports() -> tuple[int, int]:
    """A port that is free for UDP and TCP, and one for TCP; another program may still take them first."""
    with socket.socket() as health:
        health.bind((_ADDRESS, 0))
        while True:
            with socket.socket() as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
                tcp.bind((_ADDRESS, 0))
                try:
                    udp.bind(tcp.getsockname())
                except OSError:
                    continue
                return tcp.getsockname()[1], health.getsockname()[1]


class CoreDns:
    """CoreDNS while the context lasts, at `host` and `port`; `health` is the port of `health` in its Corefile."""

    def __init__(self, corefile: Path, ports: tuple[int, int], log: Path, part: Part) -> None:
        self.host, (self.port, self.health) = _ADDRESS, ports
        self._argv: list[str | Path] = [part.tool("coredns"), "-conf", corefile, f"-dns.port={self.port}"]
        self._log = log
        self.child: Child | None = None

    def __enter__(self) -> Self:
        self.child = Child("coredns", self._argv, self._log)
        wait_until(self._is_healthy, "CoreDNS answers its liveness probe", START_SECONDS, [self.child])
        return self

    def __exit__(self, *_: object) -> None:
        assert self.child is not None
        self.child.stop()

    def log(self) -> str:
        """What it wrote so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _is_healthy(self) -> bool:
        connection = http.client.HTTPConnection(_ADDRESS, self.health, timeout=1)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()
