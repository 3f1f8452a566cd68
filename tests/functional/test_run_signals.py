"""``ovnguard-reconciler run`` as a process, and an API server that does not answer."""

import http.server
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_cluster import cudn, node

pytestmark = pytest.mark.timing


class SlowServer(http.server.ThreadingHTTPServer):
    """What its handlers list, and the events of a test."""

    asked: threading.Event
    over: threading.Event
    objects: dict[str, list[Any]]


class SlowApi(http.server.BaseHTTPRequestHandler):
    """Lists one network and one node, watches in silence, and never answers a write."""

    server: SlowServer
    protocol_version = "HTTP/1.1"

    def __getattr__(self, name: str):
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def answer(self) -> None:
        if self.command == "PATCH":
            self.server.asked.set()
        if self.command == "PATCH" or "watch=true" in self.path:
            self.server.over.wait(120)
            return
        plural = self.path.partition("?")[0].rpartition("/")[2]
        items = [
            {**obj, "metadata": {**obj["metadata"], "uid": "u", "resourceVersion": "1"}}
            for obj in self.server.objects.get(plural, [])
        ]
        data = json.dumps({"metadata": {"resourceVersion": "1"}, "items": items}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def slow_api():
    server = SlowServer(("127.0.0.1", 0), SlowApi)
    server.daemon_threads = False  # so that closing waits for them, and their connections are closed too
    server.asked, server.over = threading.Event(), threading.Event()
    server.objects = {"nodes": [node("n1")], "clusteruserdefinednetworks": [cudn("blue")]}
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_run_ends_in_time_in_the_middle_of_a_request(slow_api, tmp_path, number):
    config = tmp_path / "kubeconfig"
    server = f"http://127.0.0.1:{slow_api.server_port}"
    parts = {
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
    }
    config.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "c", **parts}))
    program = Path(sys.executable).parent / "ovnguard-reconciler"
    argv = [
        program,
        "run",
        "--mode",
        "own",
        "--node",
        "n1",
        "--kubeconfig",
        config,
        "--store",
        tmp_path / "store",
        "--record",
    ]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as process:
        asked = slow_api.asked.wait(60)
        process.send_signal(number)
        assert asked
        # 0.8 s by itself; a Pod has thirty
        code = process.wait(30)
        assert process.stderr is not None
        output = process.stderr.read()
    assert code == 0, output
    assert "zone n1: interrupted in the middle of a step; the next start completes it" in output
    assert output.rstrip().endswith("zone n1: stopped")
    assert "Traceback" not in output
