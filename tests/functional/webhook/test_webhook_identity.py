"""Who is served and what is counted, over real TLS and by several processes."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import pytest

from ovnguard.validators.manifest.sources import read_sources
from ovnguard.webhook.certificates.self_signed import SelfSigned
from tests.support.admission_reviews import body
from tests.support.webhook.webhook_process import Serving, serving
from tests.testbed.pki import Authority
from tests.testbed.process import wait_until

pytestmark = pytest.mark.timing

counted = pytest.mark.skipif(find_spec("prometheus_client") is None, reason="the environment is older than its lock")


def call(
    webhook: Serving, method: str, path: str, pair=None, data: bytes | None = None, port: int | None = None, **tls
) -> tuple[int, str]:
    trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
    for key, value in tls.items():
        setattr(trust, key, value)
    if pair is not None:
        trust.load_cert_chain(pair.cert, pair.key)
    connection = http.client.HTTPSConnection("127.0.0.1", port or int(webhook.port), context=trust, timeout=60)
    with contextlib.closing(connection):
        connection.request(method, path, data, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


@pytest.fixture
def authority(tmp_path) -> Authority:
    folder = tmp_path / "clients"
    folder.mkdir()
    return Authority(folder)


def test_only_clients_of_the_registered_authority_may_ask(tmp_path, authority):
    friend, other = authority.client("kube-apiserver", "masters"), authority.client("somebody", "else")
    (tmp_path / "strangers").mkdir()
    stranger = Authority(tmp_path / "strangers").client("kube-apiserver", "masters")
    options = ("--client-ca", authority.ca_file, "--client-name", "kube-apiserver", "--client-name", "x")
    with serving(tmp_path, *options) as webhook:
        assert call(webhook, "GET", "/healthz") == (200, "ok\n")
        status, text = call(webhook, "POST", "/validate", None, body())
        assert (status, json.loads(text)["message"]) == (
            403,
            "a client certificate of the registered authority is required",
        )
        status, text = call(webhook, "POST", "/validate", other, body())
        assert (status, json.loads(text)["message"]) == (
            403,
            'client certificate "somebody" is not authorized',
        )
        status, text = call(webhook, "POST", "/validate", friend, body())
        assert (status, "response" in json.loads(text)) == (200, True)
        with pytest.raises(OSError):  # noqa: PT011 - TLS 1.3 tells it as an alert or as a reset
            call(webhook, "POST", "/validate", stranger, body())
        assert call(webhook, "GET", "/readyz") == (200, "ok\n")


def test_metrics_have_a_port_and_clients_of_their_own(tmp_path, authority):
    friend = authority.client("prometheus", "monitoring")
    (tmp_path / "servers").mkdir()
    servers = Authority(tmp_path / "servers")
    api_server = servers.client("kube-apiserver", "masters")
    options = ("--metrics-port", "0", "--metrics-client-ca", authority.ca_file, "--client-ca", servers.ca_file)
    with serving(tmp_path, *options) as webhook:
        scraped = webhook.metrics_port
        status, text = call(webhook, "GET", "/metrics", port=scraped)
        refused = "a client certificate of the registered authority is required"
        assert (status, json.loads(text)["message"]) == (403, refused)
        assert call(webhook, "GET", "/metrics", friend, port=scraped)[0] == 200
        # neither port knows the routes or the clients of the other one
        assert call(webhook, "GET", "/metrics", api_server)[0] == 404
        assert call(webhook, "POST", "/validate", friend, body(), port=scraped)[0] == 404
        assert call(webhook, "POST", "/validate", api_server, body())[0] == 200
        for pair, port in ((friend, int(webhook.port)), (api_server, scraped)):
            with pytest.raises(OSError):  # noqa: PT011 - TLS 1.3 tells it as an alert or as a reset
                call(webhook, "GET", "/healthz", pair, port=port)


def test_only_given_addresses_may_ask(tmp_path):
    with serving(tmp_path, "--client-network", "192.0.2.0/24") as webhook:
        status, text = call(webhook, "POST", "/validate", None, body())
        refused = "the address of the client is not one of an API server"
        assert (status, json.loads(text)["message"]) == (403, refused)
        assert call(webhook, "GET", "/readyz") == (200, "ok\n")
    with serving(tmp_path, "--client-network", "127.0.0.0/8", "--client-network", "192.0.2.0/24") as webhook:
        assert call(webhook, "POST", "/validate", None, body())[0] == 200


@pytest.mark.parametrize(("network", "kept"), [("192.0.2.0/24", False), ("127.0.0.0/8", True)])
def test_the_connection_of_a_refused_client_is_closed(tmp_path, network, kept):
    with serving(tmp_path, "--client-network", network) as webhook:
        trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
        connection = http.client.HTTPSConnection("127.0.0.1", int(webhook.port), context=trust, timeout=60)
        with contextlib.closing(connection):
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            assert (answer.status, answer.read(), answer.getheader("Connection")) == (
                200,
                b"ok\n",
                "keep-alive" if kept else "close",
            )


def test_forwarded_headers_are_not_trusted(tmp_path):
    """Not even from this machine, where a proxy could be."""
    with serving(tmp_path, "--client-network", "192.0.2.0/24") as webhook:
        trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
        connection = http.client.HTTPSConnection("127.0.0.1", int(webhook.port), context=trust, timeout=60)
        headers = {"Content-Type": "application/json", "X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1"}
        with contextlib.closing(connection):
            connection.request("POST", "/validate", body(), headers)
            assert connection.getresponse().status == 403


def test_request_without_host_is_a_bad_one(tmp_path):
    with serving(tmp_path) as webhook:
        trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
        plain = socket.create_connection(("127.0.0.1", int(webhook.port)), timeout=60)
        with trust.wrap_socket(plain, server_hostname="localhost") as connection:
            connection.sendall(b"GET /readyz HTTP/1.1\r\nConnection: close\r\n\r\n")
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            assert answer.status == 400
            assert json.loads(answer.read())["message"] == "Host: the header is required"


CBC = "ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA384:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA"


def test_cbc_is_not_spoken(tmp_path):
    with serving(tmp_path) as webhook:
        trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
        trust.maximum_version = ssl.TLSVersion.TLSv1_2
        trust.set_ciphers(CBC)
        plain = socket.create_connection(("127.0.0.1", int(webhook.port)), timeout=60)
        with plain, pytest.raises(ssl.SSLError, match="HANDSHAKE_FAILURE"):
            trust.wrap_socket(plain, server_hostname="localhost")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_tls_versions(tmp_path, version):
    with serving(tmp_path) as webhook:
        assert call(webhook, "GET", "/healthz", minimum_version=version, maximum_version=version) == (200, "ok\n")


def test_expired_certificate_is_not_ready_but_healthy(tmp_path):
    made = SelfSigned(tmp_path / "old")
    made.ensure(datetime(2020, 1, 1, tzinfo=UTC))
    SelfSigned(tmp_path).ensure()
    with serving(tmp_path, files=made.files) as webhook:
        assert call(webhook, "GET", "/healthz", check_hostname=False, verify_mode=ssl.CERT_NONE)[0] == 200
        expired = (503, "the serving certificate has expired\n")
        assert call(webhook, "GET", "/readyz", check_hostname=False, verify_mode=ssl.CERT_NONE) == expired
        made.ensure()
        assert call(webhook, "GET", "/readyz", check_hostname=False, verify_mode=ssl.CERT_NONE)[0] == 200


def asked(text: str) -> float:
    return sum(float(each) for each in re.findall(r"^ovnk_admission_requests_total\{.*\} (.*)$", text, re.MULTILINE))


def children(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@counted
def test_every_worker_reports_the_sum_of_all(tmp_path):
    with serving(tmp_path, "--workers", "3", "--metrics-port", "0") as webhook:
        scraped = webhook.metrics_port
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: call(webhook, "POST", "/validate", None, body())[0], range(40)))
        assert answers == [200] * 40
        sums = {asked(call(webhook, "GET", "/metrics", port=scraped)[1]) for _ in range(12)}
        assert sums == {40.0}
        # what a killed worker has counted stays counted
        os.kill(children(webhook.process.pid)[0], signal.SIGKILL)
        wait_until(lambda: len(children(webhook.process.pid)) == 3, "the worker is replaced", 60)
        time.sleep(2)
        text = call(webhook, "GET", "/metrics", port=scraped)[1]
        assert asked(text) == 40.0
        assert "ovnk_admission_in_flight 0.0" in text
        assert "blue" not in text
        [expiry] = re.findall(r"^ovnk_admission_cert_expiry_timestamp_seconds (.*)$", text, re.MULTILINE)
        assert time.time() + 6 * 86400 < float(expiry) < time.time() + 8 * 86400


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setenv("HOME", str(scratch))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(scratch))
    (tmp_path / "certs").mkdir()
    with serving(tmp_path / "certs", "--workers", "2") as webhook:
        assert call(webhook, "GET", "/readyz")[0] == 200
        sockets = [file for file in scratch.rglob("*") if file.is_socket()]
        assert sockets == []
        webhook.process.send_signal(signal.SIGTERM)
        assert webhook.process.wait(60) == 0
    assert [file.name for file in scratch.iterdir() if file.name.startswith("ovnguard")] == []


def test_clean_stop_under_load(tmp_path):
    """Whoever was answered was answered whole; who was not sees the end of the connection, not half an answer."""
    obj = body(object=read_sources(["deploy/examples/valid/green-layer3.yaml"]).documents[0].value)
    wrong: list[int] = []

    def client(webhook: Serving) -> int:
        trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
        done = 0
        while not wrong:
            connection = http.client.HTTPSConnection("127.0.0.1", int(webhook.port), context=trust, timeout=60)
            try:
                for _ in range(100):
                    connection.request("POST", "/validate", obj, {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    if answer.status != 200 or not json.loads(answer.read())["response"]["allowed"]:
                        wrong.append(answer.status)
                    done += 1
            except (OSError, http.client.HTTPException):
                return done
            finally:
                connection.close()
        return done

    with serving(tmp_path, "--workers", "2") as webhook, ThreadPoolExecutor(8) as pool:
        clients = [pool.submit(client, webhook) for _ in range(8)]
        time.sleep(1.5)
        began = time.monotonic()
        webhook.process.send_signal(signal.SIGTERM)
        assert webhook.process.wait(60) == 0
        assert time.monotonic() - began < 20
        assert sum(each.result(10) for each in clients) > 50
    assert wrong == []
