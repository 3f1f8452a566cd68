"""Runs a command in a container, through the API server and a WebSocket.

The subprotocol is ``v4.channel.k8s.io``, which kubelets of all releases speak: the first byte of a message is its
channel, and the last message of channel 3 is a Status. Source: Kubernetes,
``k8s.io/kubelet/pkg/cri/streaming/remotecommand/websocket.go``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from kubernetes.stream.ws_client import create_websocket, get_websocket_url
from websocket import WebSocketBadStatusException, WebSocketException

from ovnguard.validators.cluster.answers import status_error
from ovnguard.validators.cluster.client_protocol import ClusterError

# Seconds without a byte. A server may prepare the copy of a large database for some time.
IDLE_SECONDS: Final = 120.0
_PROTOCOL: Final = "v4.channel.k8s.io"
_STDOUT, _STDERR, _STATUS = 1, 2, 3
_CLOSE: Final = 8
_MAX_TEXT: Final = 2000


def execute(
    configuration: Any, headers: Mapping[str, str], url: str, container: str, command: Sequence[str]
) -> Iterator[bytes]:
    """Yield what ``command`` prints; ``url`` is that of the pod's subresource ``exec``.

    Raises ApiStatusError when the API server refuses, ClusterError for everything else that fails.
    """
    query = [("container", container), ("stdout", "true"), ("stderr", "true"), *(("command", each) for each in command)]
    try:
        socket = create_websocket(
            configuration,
            get_websocket_url(f"{url}?{urlencode(query)}"),
            {**headers, "sec-websocket-protocol": _PROTOCOL},
        )
        try:
            socket.settimeout(IDLE_SECONDS)
            yield from _output(socket, command)
        finally:
            # `close` does nothing once the other end has closed, and the connection would stay open
            socket.shutdown()
    except WebSocketBadStatusException as error:
        raise status_error(error.status_code, error.resp_body or b"") from error
    except (WebSocketException, OSError) as error:
        raise ClusterError(f"{url}: {error}") from error


def _output(socket: Any, command: Sequence[str]) -> Iterator[bytes]:
    errors, status = b"", b""
    while True:
        opcode, message = socket.recv_data()
        if opcode == _CLOSE:
            break
        channel, data = message[:1], message[1:]
        if channel == bytes([_STDOUT]) and data:
            yield data
        elif channel == bytes([_STDERR]):
            errors = (errors + data)[-_MAX_TEXT:]
        elif channel == bytes([_STATUS]):
            status += data
    failure = _failure(status)
    if failure:
        text = " ".join(errors.decode(errors="replace").split())
        raise ClusterError(f"{command[0]}: {text or failure}")


def _failure(status: bytes) -> str:
    """Why a command failed, '' if it did not."""
    try:
        found = json.loads(status)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return "the connection ended before the command"
    return "" if found.get("status") == "Success" else str(found.get("message", "it failed"))
