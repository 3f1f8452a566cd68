"""Connections to the API server that a test can cut."""

import contextlib
import json
import selectors
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

from tests.testbed.netns import Namespace

_HAND_OVER: Final = """\
import socket
server, caller = socket.create_server(("127.0.0.1", 0)), socket.socket(fileno=0)
socket.send_fds(caller, [b"server"], [server.fileno()])
"""


def _listening(inside: Namespace) -> socket.socket:
    """A socket that listens in a namespace: a process there makes it and hands it over."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        argv = inside.inside([sys.executable, "-I", "-c", _HAND_OVER])
        subprocess.run(list(map(str, argv)), stdin=theirs.fileno(), check=True, timeout=60)
        _, (number,), _, _ = socket.recv_fds(ours, 64, 1)
        return socket.socket(fileno=number)


class Proxy:
    """A TCP relay in front of the API server that can be cut and opened again; ``target`` is the server's port.

    It listens in ``inside``, a network namespace, or on this machine.
    """

    def __init__(self, port: int, inside: Namespace | None = None) -> None:
        self.target = port
        self._open = True
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._server = socket.create_server(("127.0.0.1", 0)) if inside is None else _listening(inside)
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._server.accept()
                if not self._open:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self.target))
                except OSError:
                    near.close()
                    continue
                self._pairs.append((near, far))
                threading.Thread(target=self._relay, args=(near, far), daemon=True).start()

    def _relay(self, near: socket.socket, far: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), selectors.DefaultSelector() as ready, near, far:
            ready.register(near, selectors.EVENT_READ, far)
            ready.register(far, selectors.EVENT_READ, near)
            while True:
                for key, _ in ready.select():
                    assert isinstance(key.fileobj, socket.socket)
                    data = key.fileobj.recv(1 << 16)
                    if not data:
                        return
                    key.data.sendall(data)

    def kubeconfig(self, original: Path, copy: Path) -> Path:
        """Write a copy of a kubeconfig that leads through this relay."""
        config = json.loads(original.read_text())
        config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{self.port}"
        copy.write_text(json.dumps(config))
        return copy

    def cut(self) -> None:
        self._open = False
        for pair in self._pairs:
            for each in pair:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
        self._pairs.clear()

    def mend(self) -> None:
        self._open = True

    def close(self) -> None:
        self.cut()
        self._server.close()
