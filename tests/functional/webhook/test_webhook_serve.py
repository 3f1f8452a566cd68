"""`ovnguard-webhook serve` as users start it: one line when ready, the real judge, exit codes."""

import contextlib
import http.client
import json
import signal
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.network.model import TRANSIT_ANNOTATION
from tests.support.admission_reviews import UID
from tests.support.paths import ROOT
from tests.support.webhook.webhook_process import EXAMPLES, asking, serving
from tests.testbed.process import wait_until


def test_examples_are_judged_as_their_folders_say(tmp_path):
    with serving(tmp_path, "--manifests", EXAMPLES / "nodes", "--manifests", EXAMPLES / "valid") as webhook:
        for folder, expected in (("valid", True), ("invalid", False)):
            documents = read_sources([str(EXAMPLES / folder)]).documents
            assert documents
            for document in documents:
                mutated = webhook.ask("/mutate", document.value, document.old)
                assert expected or "patch" not in mutated
                answer = webhook.ask("/validate", document.value, document.old)
                assert answer["allowed"] is expected, document.file
                assert expected or answer["status"]["details"]["causes"]


def test_transit_subnet_is_patched_in_and_the_result_needs_no_patch(tmp_path):
    obj = read_sources([str(EXAMPLES / "valid" / "blue-layer2.yaml")]).documents[0].value
    with serving(tmp_path) as webhook:
        assert "patch" in webhook.ask("/mutate", obj)
        obj["metadata"]["annotations"] = {TRANSIT_ANNOTATION: "100.90.0.0/16"}
        assert "patch" not in webhook.ask("/mutate", obj)
        assert webhook.ask("/validate", obj)["allowed"] is True


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_one_line_on_stdout_and_exit_0(tmp_path, stop):
    with serving(tmp_path, "--workers", "2") as webhook:
        assert webhook.call("GET", "/readyz") == (200, b"ok\n")
        webhook.process.send_signal(stop)
        assert webhook.process.wait(60) == 0
        assert webhook.process.stdout is not None
        assert webhook.process.stdout.read() == ""


def test_definitions_are_kept_for_the_next_start(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    with serving(tmp_path, "--workers", "1"):
        assert list((cache / "ovnguard" / "compiled").iterdir())


def test_ipv6(tmp_path):
    with serving(tmp_path, "--host", "::1") as webhook:
        assert webhook.host == "[::1]"
        assert webhook.call("GET", "/healthz") == (200, b"ok\n")


def test_view_without_its_cluster_is_not_ready_but_healthy(tmp_path):
    cluster = {"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}
    context = {"name": "x", "context": {"cluster": "c", "user": "u"}}
    config = {"apiVersion": "v1", "kind": "Config", "clusters": [cluster], "contexts": [context]}
    config |= {"users": [{"name": "u", "user": {"token": "t"}}], "current-context": "x"}
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    obj = read_sources([str(EXAMPLES / "valid" / "green-layer3.yaml")]).documents[0].value
    body = json.dumps(asking(obj)).encode()
    with serving(tmp_path, "--kubeconfig", tmp_path / "kubeconfig", "--sync-seconds", "0.1") as webhook:
        status, text = webhook.call("GET", "/readyz")
        assert (status, text.count(b"\n")) == (503, 1)
        assert text.startswith(b"the cluster view is not complete: waiting for ")
        assert webhook.call("GET", "/healthz") == (200, b"ok\n")
        # no verdict, because one without the cluster could be wrong: failurePolicy decides
        status, answer = webhook.call("POST", "/validate", body)
        assert (status, json.loads(answer)["details"]) == (503, {"uid": UID})


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param("ovnguard.validators.admission.judge", id="master"),
        pytest.param("ovnguard.webhook.commands.serve.create_app", id="worker"),
    ],
)
def test_server_that_cannot_start_ends_with_its_own_code(tmp_path, broken):
    module, _, name = broken.rpartition(".")
    program = (
        f"import {module}\n"
        "def broken(*_): raise ZeroDivisionError\n"
        f"{module}.{name} = broken\n"
        "from ovnguard.webhook.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, "serve", "--port", "0", "--self-signed", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (Exit.INTERNAL, ""), done.stderr
    # gunicorn adds an empty line to a trace
    lines = [json.loads(line) for line in done.stderr.splitlines() if line]
    assert any("ZeroDivisionError" in line.get("exception", "") for line in lines)


SLOW_START = """
import sys
import time
from pathlib import Path
import ovnguard.webhook.commands.serve as serve
made, folder = serve.create_app, Path(sys.argv[-1])
def create_app(*args):
    (folder / "loading").touch()
    while not (folder / "go").exists():
        time.sleep(0.02)
    return made(*args)
serve.create_app = create_app
from ovnguard.webhook.cli import main
main()
"""
TRIES = 50


def test_port_accepts_no_connection_before_a_worker_answers(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    obj = read_sources([str(EXAMPLES / "valid" / "green-layer3.yaml")]).documents[0].value
    options = ["serve", "--workers", "2", "--port", str(port), "--self-signed", tmp_path]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-c", SLOW_START, *options], cwd=ROOT, stdout=log, stderr=log)
    try:
        wait_until((tmp_path / "loading").exists, "a worker that loads", 120)
        early = [_connected(port) for _ in range(TRIES)]
        (tmp_path / "go").touch()
        wait_until(lambda: process.poll() is not None or _connected(port), "a port", 120)
        answers = [_answer(port, tmp_path / "ca.crt", json.dumps(asking(obj)).encode()) for _ in range(20)]
    finally:
        process.terminate()
        process.wait(30)
    log = (tmp_path / "log").read_text()
    assert early == [False] * TRIES, log
    assert answers == [(200, True)] * 20, log
    assert "Listening at" not in log


def _connected(port: int) -> bool:
    """Whether the kernel takes a connection, though nobody may answer it."""
    with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), 30):
        return True
    return False


def _answer(port: int, ca: Path, body: bytes) -> tuple[int, bool]:
    """Status and verdict of a review."""
    context = ssl.create_default_context(cafile=ca)
    connection = http.client.HTTPSConnection("localhost", port, timeout=60, context=context)
    with contextlib.closing(connection):
        connection.request("POST", "/validate", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())["response"]["allowed"]
