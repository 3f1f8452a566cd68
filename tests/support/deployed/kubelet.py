"""Plays the part of a kubelet that runs commands and shows logs: the API server connects to it as to any other.

It speaks WebSocket with the subprotocol ``v4.channel.k8s.io``, as kubelets do, and runs every command on this machine:
sockets in ``/var/run/ovn`` are those of a test bed's zone.
"""

import base64
import hashlib
import json
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

from tests.testbed.pki import Pair

_GUID: Final = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_PIECE: Final = 32 << 10


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, words: Mapping[str, str], *args: object) -> None:
        self._words = words
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path.startswith("/containerLogs/"):
            self._answer(f"log of {url.path.removeprefix('/containerLogs/')}\n".encode())
        elif url.path == "/forbidden":
            self._answer(b'{"kind": "Status", "reason": "Forbidden", "message": "no"}', 403)
        else:
            self._execute(parse_qs(url.query)["command"])

    def _answer(self, data: bytes, code: int = 200) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _execute(self, command: list[str]) -> None:
        assert self.headers["Sec-WebSocket-Protocol"] == "v4.channel.k8s.io"
        key = hashlib.sha1((self.headers["Sec-WebSocket-Key"] + _GUID).encode()).digest()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(key).decode())
        self.send_header("Sec-WebSocket-Protocol", "v4.channel.k8s.io")
        self.end_headers()
        self.close_connection = True
        if command[-1] == "abort":
            self.wfile.write(b"\x88\x00")
            return
        argv = [self._words.get(word, word) for word in command]
        done = subprocess.run(argv, capture_output=True, check=False)
        for channel, data in ((1, done.stdout), (2, done.stderr)):
            for start in range(0, len(data), _PIECE):
                self._send(channel, data[start : start + _PIECE])
        status = {"status": "Failure" if done.returncode else "Success", "message": f"exit code {done.returncode}"}
        self._send(3, json.dumps(status).encode())
        self.wfile.write(b"\x88\x00")

    def _send(self, channel: int, data: bytes) -> None:
        payload = bytes([channel]) + data
        short = len(payload) < 126
        length = bytes([len(payload)]) if short else b"\x7f" + struct.pack(">Q", len(payload))
        self.wfile.write(b"\x82" + length + payload)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def kubelet(certificate: Pair, words: Mapping[str, str | Path]) -> Iterator[int]:
    """Yield the port of a kubelet. ``words`` take the place of words of commands, such as programs and sockets."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, {key: str(each) for key, each in words.items()}))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.cert, certificate.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield int(server.server_port)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
