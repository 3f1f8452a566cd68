"""`ovnguard-webhook serve` as users start it: one line when ready, the real judge, exit codes."""

import json
import signal
import subprocess
import sys

import pytest

from tests.support.admission_reviews import UID
from tests.support.paths import ROOT
from tests.support.webhook.webhook_process import EXAMPLES, asking, serving
from validators.commandline.program import Exit
from validators.manifest.sources import read_sources
from validators.network.model import TRANSIT_ANNOTATION


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
        assert webhook.process.wait(5) == 0
        assert webhook.process.stdout is not None
        assert webhook.process.stdout.read() == ""


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
        pytest.param("validators.admission.judge", id="master"),
        pytest.param("webhook.commands.serve.create_app", id="worker"),
    ],
)
def test_server_that_cannot_start_ends_with_its_own_code(tmp_path, broken):
    module, _, name = broken.rpartition(".")
    program = (
        f"import {module}\n"
        "def broken(*_): raise ZeroDivisionError\n"
        f"{module}.{name} = broken\n"
        "from webhook.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, "serve", "--port", "0", "--self-signed", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (Exit.INTERNAL, ""), done.stderr
    # gunicorn adds an empty line to a trace
    lines = [json.loads(line) for line in done.stderr.splitlines() if line]
    assert any("ZeroDivisionError" in line.get("exception", "") for line in lines)
