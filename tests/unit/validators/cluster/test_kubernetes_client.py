"""The adapter of the kubernetes package, against a small HTTP server."""

import contextlib
import http.server
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.cluster.client_protocol import (
    ApiStatusError,
    ClusterConfigError,
    ClusterError,
    ClusterOptions,
    UnauthorizedError,
)
from ovnguard.validators.cluster.kubernetes_client import KubernetesClient, connect

pytestmark = pytest.mark.timing


class Server(http.server.ThreadingHTTPServer):
    """What its handlers answer with, and the requests that they read."""

    reply: Any
    heard: list[Any]


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        self.server.heard.append(
            (self.command, self.path, {key.lower(): value for key, value in self.headers.items()}, body)
        )
        self.server.reply(self)

    def __getattr__(self, name: str):
        """Every method of HTTP is answered in the same way."""
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def send(self, code: int, value, raw: bytes | None = None) -> None:
        data = json.dumps(value).encode() if raw is None else raw
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def cluster(tmp_path: Path):
    """`cluster(reply)` gives a client of a server that answers with `reply(handler)`."""
    with contextlib.ExitStack() as stack:

        def start(reply, user=None, monotonic=time.monotonic) -> tuple[KubernetesClient, list]:
            server = Server(("127.0.0.1", 0), Handler)
            server.daemon_threads = True
            server.reply, server.heard = reply, []
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            options = ClusterOptions(kubeconfig(tmp_path, f"http://127.0.0.1:{server.server_port}", user), None, "me")
            client = connect(options, monotonic)
            stack.callback(client.close)
            return client, server.heard

        yield start


def kubeconfig(folder: Path, server: str, user=None) -> str:
    file = folder / "kubeconfig"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user or {"token": "secret"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    file.write_text(json.dumps(config))
    return str(file)


def test_a_request_carries_query_body_type_and_credentials(cluster):
    client, heard = cluster(lambda handler: handler.send(200, {"kind": "ok"}))
    answer = client.request("PATCH", "/apis/x", {"force": "true"}, {"a": 1}, "application/merge-patch+json")
    assert answer == {"kind": "ok"}
    ((method, path, headers, body),) = heard
    assert (method, path, json.loads(body)) == ("PATCH", "/apis/x?force=true", {"a": 1})
    assert headers["authorization"] == "Bearer secret"
    assert headers["content-type"] == "application/merge-patch+json"
    assert headers["user-agent"] == "me"
    assert client.answers() == {("PATCH", "200"): 1}


@pytest.mark.parametrize(
    ("code", "raw", "text"),
    [
        (404, b'{"kind":"Status","reason":"NotFound","message":"no such thing"}', "404 NotFound: no such thing"),
        (409, b'{"kind":"Status","reason":"Conflict","message":"changed"}', "409 Conflict: changed"),
        (500, b"broken", "500 : broken"),
        (302, b"", "302 : "),
    ],
)
def test_refusals_have_code_reason_and_message(cluster, code, raw, text):
    client, _ = cluster(lambda handler: handler.send(code, None, raw))
    for call in (lambda: client.request("GET", "/x"), lambda: client.watch("/x", {}, 5.0)):
        with pytest.raises(ApiStatusError) as raised:
            call()
        assert (str(raised.value), raised.value.code) == (text, code)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def tokens_of(heard) -> list[str]:
    return [headers["authorization"].removeprefix("Bearer ") for _, _, headers, _ in heard]


def only(token: str):
    """Authenticates one token, as an API server does after the node's kubelet has renewed another one."""

    def reply(handler: Handler) -> None:
        known = handler.headers["Authorization"] == f"Bearer {token}"
        handler.send(200, {"kind": "ok"}) if known else handler.send(401, {"reason": "Unauthorized", "message": "no"})

    return reply


@pytest.mark.parametrize("ask", [lambda client: client.request("GET", "/x"), lambda client: client.watch("/x", {}, 5)])
def test_a_refused_token_is_read_again_and_the_request_repeated(cluster, tmp_path, ask):
    file = tmp_path / "token"
    file.write_text("old")
    client, heard = cluster(only("new"), {"tokenFile": str(file)})
    file.write_text("new")
    ask(client)
    ask(client)
    assert tokens_of(heard) == ["old", "new", "new"]


def test_a_refusal_says_how_long_the_newest_token_has_been_refused(cluster, tmp_path):
    file, clock = tmp_path / "token", Clock()
    file.write_text("old")
    client, heard = cluster(only("good"), {"tokenFile": str(file)}, clock)

    def refused_for() -> float:
        with pytest.raises(UnauthorizedError, match=r"^401 Unauthorized: no$") as raised:
            client.request("GET", "/x")
        return raised.value.seconds

    assert refused_for() == 0.0
    clock.now = 119.0
    assert refused_for() == 119.0
    file.write_text("new")
    assert refused_for() == 0.0
    clock.now = 240.0
    assert refused_for() == 121.0
    file.unlink()
    assert refused_for() == 121.0
    file.write_text("good")
    client.request("GET", "/x")
    assert tokens_of(heard) == ["old", "old", "old", "new", "new", "new", "new", "good"]


@pytest.mark.parametrize("raw", [b"", b"<html>", b"[]", b"[" * 100_000])
def test_an_answer_without_a_json_object_is_an_error(cluster, raw):
    client, _ = cluster(lambda handler: handler.send(200, None, raw))
    with pytest.raises(ClusterError, match=r"did not answer with a JSON object$"):
        client.request("GET", "/x")


def test_nobody_listens(tmp_path):
    client = connect(ClusterOptions(kubeconfig(tmp_path, "http://127.0.0.1:1"), None))
    with pytest.raises(ClusterError) as raised:
        client.request("GET", "/x")
    assert str(raised.value).startswith("http://127.0.0.1:1: ")
    assert "Connection refused" in str(raised.value)
    assert client.answers() == {("GET", "<error>"): 1}


def streaming(pieces, after=lambda handler: None):
    def reply(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for piece in pieces:
            handler.chunk(piece)
        after(handler)

    return reply


def end(handler: Handler) -> None:
    handler.wfile.write(b"0\r\n\r\n")


def test_events_in_pieces(cluster):
    pieces = [b'{"type":"A', b'DDED","object":{"x":"\xc3', b'\xa9"}}\n{"type":"B"}\n\n', b'{"type":"C"}\n']
    client, heard = cluster(streaming(pieces, end))
    events = list(client.watch("/x", {"resourceVersion": "7"}, 5.0).events())
    assert events == [{"type": "ADDED", "object": {"x": "é"}}, {"type": "B"}, {"type": "C"}]
    assert heard[0][1] == "/x?resourceVersion=7&watch=true"


def hold(handler: Handler) -> None:
    with contextlib.suppress(OSError):
        handler.connection.recv(1)


def test_close_wakes_a_reader_that_waits(cluster):
    client, _ = cluster(streaming([b'{"type":"A"}\n'], hold))
    watch = client.watch("/x", {}, 60.0)
    events = watch.events()
    assert next(events) == {"type": "A"}
    threading.Timer(0.1, watch.close).start()
    began = time.monotonic()
    assert list(events) == []
    assert time.monotonic() - began < 30


def test_close_before_reading_and_twice(cluster):
    client, _ = cluster(streaming([b'{"type":"A"}\n'], hold))
    watch = client.watch("/x", {}, 30.0)
    watch.close()
    watch.close()
    assert list(watch.events()) == []


def cut(handler: Handler) -> None:
    handler.connection.close()
    handler.close_connection = True


def test_a_lost_watch_is_an_error(cluster):
    client, _ = cluster(streaming([b'{"type":"A"}\n'], cut))
    events = client.watch("/x", {}, 60.0).events()
    assert next(events) == {"type": "A"}
    with pytest.raises(ClusterError, match=r"^http://127\.0\.0\.1:\d+: "):
        list(events)


def test_a_silent_watch_is_an_error(cluster):
    # On a busy machine the time may be over before the first event.
    client, _ = cluster(streaming([b'{"type":"A"}\n'], hold))
    with pytest.raises(ClusterError, match=r"^http://127\.0\.0\.1:\d+: .*timed out"):
        list(client.watch("/x", {}, 0.2).events())


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "Invalid kube-config file. No configuration found.; name one with --kubeconfig"),
        ("{", "cannot be used: "),
        ("[]", "cannot be used: "),
        ("", "cannot be used: "),
        ('{"clusters": [], "contexts": [], "users": []}', "Invalid kube-config"),
    ],
    ids=["missing", "broken", "list", "empty", "nothing in it"],
)
def test_kubeconfigs_that_will_not_do(tmp_path, content, text):
    file = tmp_path / "config"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ClusterConfigError) as raised:
        connect(ClusterOptions(str(file)))
    assert str(raised.value).startswith(f"{file}: ")


def test_an_unknown_context(tmp_path):
    file = kubeconfig(tmp_path, "http://127.0.0.1:1")
    with pytest.raises(ClusterConfigError, match="Expected object with name nope"):
        connect(ClusterOptions(file, "nope"))


def test_no_cluster_at_all(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setattr(
        "ovnguard.validators.cluster.kubernetes_client.KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "none")
    )
    with pytest.raises(ClusterConfigError) as raised:
        connect(ClusterOptions())
    text = "no kubeconfig and no service account: Service host/port is not set.; name one with --kubeconfig"
    assert str(raised.value) == text
