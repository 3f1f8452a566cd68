"""The webhook as its clients meet it: another process, real TLS, and peers that do not behave."""

import base64
import contextlib
import http.client
import json
import re
import select
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509

from ovnguard.webhook.certificates.self_signed import SelfSigned
from tests.support.admission_reviews import NOTE, UID, body, network
from tests.support.paths import ROOT
from tests.support.webhook.webhook_child import CONNECTIONS, LIMITS, READ_SECONDS

pytestmark = pytest.mark.timing

JSON = {"Content-Type": "application/json"}
HALF_OPEN = CONNECTIONS // 2
STOP = 10.0
"""Seconds; a pod has 20."""
PROMPT = READ_SECONDS - 0.5
"""Seconds: an honest client is served before stalled ones are cut. A server that is not busy needs milliseconds."""


@dataclass
class Webhook:
    process: subprocess.Popen
    port: int
    folder: Path

    @property
    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.folder / "ca.crt")

    def connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.trust, timeout=60)

    def post(self, path: str, data: bytes, headers: dict[str, str] = JSON) -> tuple[int, dict]:
        with contextlib.closing(self.connect()) as connection:
            return ask(connection, path, data, headers)

    def is_prompt(self) -> None:
        """A new client is served, and soon."""
        started = time.monotonic()
        assert self.post("/validate", body())[1]["response"]["allowed"] is True
        assert time.monotonic() - started < PROMPT

    def tls(self) -> ssl.SSLSocket:
        return self.trust.wrap_socket(self.tcp(), server_hostname="localhost")

    def tcp(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def log(self) -> list[dict]:
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]


def ask(connection, path, data, headers=JSON):
    connection.request("POST", path, data, headers)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def head_for(data: bytes, more: str = "") -> bytes:
    fields = f"Host: a\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n{more}"
    return f"POST /validate HTTP/1.1\r\n{fields}\r\n".encode()


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Webhook]:
    command = [sys.executable, "-m", "tests.support.webhook.webhook_child", str(folder)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("https://127.0.0.1:"), (folder / "log").read_text()
        yield Webhook(process, int(url.rpartition(":")[2]), folder)
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


@pytest.fixture(scope="module")
def webhook(tmp_path_factory):
    with running(tmp_path_factory.mktemp("webhook")) as server:
        yield server


@pytest.fixture
def own_webhook(tmp_path):
    with running(tmp_path) as server:
        yield server


def test_allowed(webhook):
    status, answer = webhook.post("/validate", body())
    assert (status, answer["kind"], answer["response"]["uid"]) == (200, "AdmissionReview", UID)
    assert answer["response"]["allowed"] is True


def test_denied_with_causes(webhook):
    status, answer = webhook.post("/validate", body(object=network(refuse=["x"])))
    assert (status, answer["response"]["allowed"]) == (200, False)
    assert answer["response"]["status"]["message"] == (
        'ClusterUserDefinedNetwork.k8s.ovn.org "blue" is invalid: spec.refuse: Invalid value: "x": refused by the test'
    )
    assert answer["response"]["status"]["details"]["causes"] == [
        {"reason": "FieldValueInvalid", "message": 'Invalid value: "x": refused by the test', "field": "spec.refuse"}
    ]


def test_patch(webhook):
    status, answer = webhook.post("/mutate", body(object=network(select="100.89.0.0/16")))
    assert status == 200
    assert json.loads(base64.b64decode(answer["response"]["patch"])) == [
        {"op": "add", "path": "/metadata/annotations", "value": {NOTE: "100.89.0.0/16"}}
    ]


def test_probes(webhook):
    with contextlib.closing(webhook.connect()) as connection:
        for path in ("/healthz", "/readyz"):
            connection.request("GET", path)
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"ok\n")


@pytest.mark.parametrize(
    ("data", "headers", "status", "message"),
    [
        (b"{", JSON, 400, "the body is not JSON: Expecting property name enclosed in double quotes (line 1, column 2)"),
        (body(uid=None), JSON, 400, "request.uid: a non-empty string is required, not null"),
        (
            b"x" * (LIMITS.body_bytes + 1),
            JSON,
            413,
            f"the body has {LIMITS.body_bytes + 1} bytes, at most {LIMITS.body_bytes} are accepted",
        ),
        (
            b"x" * 2_000_000,
            JSON,
            413,
            f"the body has 2000000 bytes, at most {LIMITS.body_bytes} are accepted",
        ),
        (body(), {"Content-Type": "text/plain"}, 415, 'Content-Type: application/json is expected, not "text/plain"'),
        (iter([body()]), JSON, 411, "Content-Length: the length of the body is required"),
    ],
    ids=["not json", "no uid", "just too long", "far too long", "content type", "chunked"],
)
def test_refused_calls_and_the_next_one(webhook, data, headers, status, message):
    answer = webhook.post("/validate", data, headers)
    assert answer == (
        status,
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": answer[1]["reason"],
            "code": status,
        },
    )
    webhook.is_prompt()


def test_crash_is_answered_and_the_next_one_served(webhook):
    status, answer = webhook.post("/validate", body(object=network(crash="x")))
    assert (status, answer["kind"], answer["details"]) == (500, "Status", {"uid": UID})
    webhook.is_prompt()


def test_body_of_exactly_the_limit_is_read(webhook):
    data = body()
    status, answer = webhook.post("/validate", data + b" " * (LIMITS.body_bytes - len(data)))
    assert (status, answer["response"]["allowed"]) == (200, True)


def test_connection_is_kept_between_requests(webhook):
    with contextlib.closing(webhook.connect()) as connection:
        connection.connect()
        kept = connection.sock
        for _ in range(20):
            assert ask(connection, "/validate", body())[0] == 200
            assert ask(connection, "/validate", b"{")[0] == 400
        assert connection.sock is kept


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_request_in_pieces(webhook, step):
    data = body()
    head = (
        f"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    whole = head.encode() + data
    with webhook.tls() as connection:
        for start in range(0, len(whole), step):
            connection.sendall(whole[start : start + step])
        assert connection.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")


def test_several_requests_sent_at_once_are_answered_in_their_order(webhook):
    sent = b""
    for data in (body(uid="first"), b"{", body(uid="third")):
        sent += head_for(data) + data
    with webhook.tls() as connection:
        connection.sendall(sent)
        received = b""
        while b'"third"' not in received:
            received += connection.recv(4096)
    assert re.findall(rb"HTTP/1\.1 (\d+)", received) == [b"200", b"400", b"200"]
    assert received.index(b'"first"') < received.index(b"not JSON") < received.index(b'"third"')


def test_requests_in_one_tls_record_are_all_answered(webhook):
    """gunicorn reads 8192 bytes at a time. What OpenSSL holds back makes no socket readable."""
    data = body(uid="first")
    first = head_for(data.ljust(9000))
    whole = 8192 - len(first)
    first = head_for(data.ljust(whole)) + data.ljust(whole)
    assert len(first) == 8192
    data = body(uid="second")
    with webhook.tls() as connection:
        connection.sendall(first + head_for(data) + data)
        connection.settimeout(5)
        received = b""
        while b'"second"' not in received:
            received += (chunk := connection.recv(4096))
            assert chunk, received


def test_client_that_waits_for_leave_to_send_its_body(webhook):
    data = body()
    with webhook.tls() as connection:
        connection.sendall(head_for(data, "Expect: 100-continue\r\n"))
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(data)
        connection.settimeout(5)
        answer = b""
        while b'"allowed": true' not in answer:
            answer += connection.recv(4096)
        # and not told a second time
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    "raw",
    [b"\r\n\r\n", b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nA b: c\r\n\r\n", b"\0" * 40_000],
)
def test_data_other_than_http_ends_only_its_own_connection(webhook, raw):
    with webhook.tls() as connection:
        connection.sendall(raw)
        received = b""
        with contextlib.suppress(OSError):
            while chunk := connection.recv(4096):
                received += chunk
        assert received == b"" or re.match(rb"HTTP/1\.1 4\d\d ", received)
    webhook.is_prompt()


@pytest.mark.parametrize("version", [b"HTTP/1.2", b"HTTP/1.9"])
def test_a_later_version_of_http_is_not_supported(webhook, version):
    with webhook.tls() as connection:
        connection.sendall(b"GET /healthz " + version + b"\r\nHost: a\r\n\r\n")
        received = b""
        while chunk := connection.recv(4096):
            received += chunk
    assert received.startswith(b"HTTP/1.1 505 HTTP Version Not Supported\r\nConnection: close\r\n")
    webhook.is_prompt()


def test_data_other_than_tls_ends_only_its_own_connection(webhook):
    with webhook.tcp() as connection:
        connection.sendall(b"POST /validate HTTP/1.1\r\n\r\n")
        with contextlib.suppress(OSError):
            while connection.recv(4096):
                pass
    webhook.is_prompt()


def half_handshake(webhook):
    """The first bytes of a ClientHello, and silence."""
    connection = webhook.tcp()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = webhook.trust.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    connection.sendall(outgoing.read()[:40])
    return connection


def half_request(webhook, sent):
    connection = webhook.tls()
    connection.sendall(sent)
    return connection


HALVES = {
    "mute": lambda webhook: webhook.tcp(),
    "half a handshake": half_handshake,
    "handshake only": lambda webhook: webhook.tls(),
    "half a head": lambda webhook: half_request(webhook, b"POST /validate HTTP/1.1\r\nHost: a\r\n"),
    "half a body": lambda webhook: half_request(webhook, b"POST /validate HTTP/1.1\r\nContent-Length: 500\r\n\r\n{"),
}


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_half_open_connections_do_not_stop_an_honest_client(webhook, half):
    with contextlib.ExitStack() as stack:
        idle = [stack.enter_context(half(webhook)) for _ in range(HALF_OPEN)]
        for _ in range(5):
            webhook.is_prompt()
        started = time.monotonic()
        while idle and time.monotonic() - started < READ_SECONDS + 15:
            ready, _, _ = select.select(idle, [], [], 0.5)
            for connection in ready:
                with contextlib.suppress(OSError):
                    while connection.recv(4096):
                        pass
                idle.remove(connection)
        assert idle == [], "the server closes connections without a whole request in time"
    webhook.is_prompt()


def test_dripping_client_does_not_get_more_time(webhook):
    with webhook.tls() as connection:
        connection.sendall(b"POST /validate HTTP/1.1\r\n")
        started = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - started < READ_SECONDS + 15:
                connection.sendall(b"X")
                time.sleep(0.1)
        assert READ_SECONDS - 0.5 < time.monotonic() - started < READ_SECONDS + 14


def test_clients_that_do_not_hang_up_do_not_stop_an_honest_one(webhook):
    """gunicorn waits up to two seconds for each of them: in its thread, not in the event loop."""
    refused = b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(HALF_OPEN):
            connection = stack.enter_context(webhook.tls())
            connection.sendall(refused)
            assert connection.recv(100).startswith(b"HTTP/1.1 415 ")
        webhook.is_prompt()


def test_requests_run_side_by_side(webhook):
    slow, count = body(object=network(sleep=1)), 8
    started = time.monotonic()
    with ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(lambda _: webhook.post("/validate", slow)[0], range(count)))
    assert answers == [200] * count
    assert time.monotonic() - started < count


def serial_served(webhook):
    with webhook.tls() as connection:
        return x509.load_der_x509_certificate(connection.getpeercert(binary_form=True)).serial_number


def test_replaced_certificate_is_served_without_restart(own_webhook):
    old = serial_served(own_webhook)
    with contextlib.closing(own_webhook.connect()) as kept:
        assert ask(kept, "/validate", body())[0] == 200
        SelfSigned(own_webhook.folder, ["renewed.example"]).ensure()
        new = serial_served(own_webhook)
        assert new != old
        assert ask(kept, "/validate", body())[0] == 200, "connections made before go on"
    assert serial_served(own_webhook) == new
    assert [line["message"] for line in own_webhook.log()].count("certificate reloaded") == 1


def test_broken_certificate_does_not_stop_the_service(own_webhook):
    old = serial_served(own_webhook)
    (own_webhook.folder / "tls.key").write_text("broken")
    assert serial_served(own_webhook) == old
    own_webhook.is_prompt()


def test_stop_is_clean_and_soon(own_webhook):
    with contextlib.ExitStack() as stack:
        kept = stack.enter_context(contextlib.closing(own_webhook.connect()))
        assert ask(kept, "/validate", body())[0] == 200
        for half in HALVES.values():
            stack.enter_context(half(own_webhook))
        with ThreadPoolExecutor(1) as pool:
            under_way = pool.submit(own_webhook.post, "/validate", body(object=network(sleep=1)))
            time.sleep(0.3)
            started = time.monotonic()
            own_webhook.process.send_signal(signal.SIGTERM)
            assert own_webhook.process.wait(60) == 0
            assert time.monotonic() - started < STOP
            assert under_way.result()[0] == 200
    with pytest.raises(ConnectionRefusedError):
        own_webhook.tcp()


def test_log_is_json_with_one_line_per_decision(own_webhook):
    own_webhook.post("/validate", body(object=network(refuse=["do-not-log"])))
    text = (own_webhook.folder / "log").read_text()
    assert "do-not-log" not in text
    [decision] = [line for line in own_webhook.log() if line["message"] == "decision"]
    assert (decision["uid"], decision["allowed"], decision["rules"]) == (UID, False, ["OVNG-T0"])
