"""`ovnguard-reconciler status` against a server that answers as an API server: what it asks, and its exit codes."""

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from ovnguard.reconciler.status.snapshot import WEBHOOK_PODS, sources
from tests.support.reconciler_cli import run
from tests.support.status_samples import LOGS, NOW, well

pytestmark = pytest.mark.timing
PLACES = {name: (part.path(resource), part.query) for name, (resource, part) in sources("ovnguard-system").items()}
REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


class Api(http.server.ThreadingHTTPServer):
    """Lists in pages of two, logs, the version and the time."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lists, self.codes, self.asked = well(), dict[str, int](), 0
        self.well_after = 0

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        if path == REVIEW:
            self.asked += 1
            return self.codes.get(path, 201), {"metadata": {"creationTimestamp": NOW.strftime("%Y-%m-%dT%H:%M:%SZ")}}
        if path == "/version":
            return 200, {"gitVersion": "v1.34.2"}
        if path.endswith("/log"):
            assert query == {"container": "webhook", "tailLines": "1000", "sinceSeconds": "3600"}
            return self.codes.get("log", 200), LOGS[path.split("/")[-2]]
        start, chosen = int(query.pop("continue", 0)), {key: text for key, text in query.items() if key != "limit"}
        (name,) = (name for name, place in PLACES.items() if place == (path, chosen))
        items = self.lists[name]
        if name == "leases" and self.asked <= self.well_after:
            items = []
        following = str(start + 2) if start + 2 < len(items) else ""
        page = {"metadata": {"continue": following}, "items": items[start : start + 2]}
        return self.codes.get(name, 200), page


class Handler(http.server.BaseHTTPRequestHandler):
    server: Api

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        code, value = self.server.answer(url.path, {key: texts[0] for key, texts in parse_qs(url.query).items()})
        if code >= 400:
            value = {"reason": "Forbidden", "message": "no"}
        data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = answer  # noqa: N815 - the names are those of the standard library

    def log_message(self, *_: object) -> None:
        """Quiet."""


def config(folder: Path, port: int) -> Path:
    cluster = {"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}
    context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
    file = folder / "config"
    user = {"name": "u", "user": {}}
    parts = {"clusters": [cluster], "contexts": [context], "users": [user], "current-context": "c"}
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", **parts}), encoding="utf-8")
    return file


@pytest.fixture
def api() -> Iterator[Api]:
    with Api() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def options(api: Api, tmp_path: Path) -> list[object]:
    return ["status", "--kubeconfig", config(tmp_path, api.server_port)]


def test_all_is_well(options: list[object]) -> None:
    found = run(*options)
    assert (found.code, found.out.splitlines()[0], found.err) == (0, "all is well", "")
    assert "2 in the last hour" in found.out
    assert json.loads(run(*options, "-o", "json").out)["ok"] is True


def test_something_is_wrong(api: Api, options: list[object]) -> None:
    api.lists["leases"].clear()
    found = run(*options)
    lease = "Lease ovnguard-system/ovnguard-reconciler-cluster"
    first = f"wrong: no process leads: there is no {lease}; see docs/runbooks/OvnguardNoLeader.md"
    assert (found.code, found.out.splitlines()[0]) == (1, first)


def test_what_is_forbidden_is_unknown_and_what_is_not_served_is_absent(api: Api, options: list[object]) -> None:
    api.codes = {"deployments": 403, "userdefinednetworks": 404, "log": 403, REVIEW: 404}
    found = run(*options)
    refused = "unknown: deployments cannot be listed: 403 Forbidden: no; see docs/status.md#what-cannot-be-read"
    assert refused in found.out.splitlines()
    assert "  replicas        unknown" in found.out
    assert "  refusals        unknown: the logs of the webhook cannot be read" in found.out
    assert found.code == 1


@pytest.mark.parametrize("code", [401, 500, 503])
def test_a_server_that_fails_is_not_reached(api: Api, options: list[object], code: int) -> None:
    api.codes["pods"] = code
    found = run(*options)
    assert (found.code, found.out) == (3, "")
    assert found.err == f"error: the cluster cannot be reached: {code} Forbidden: no\n"


def test_nobody_answers(tmp_path: Path) -> None:
    with Api() as server:
        port = server.server_port
    found = run("status", "--kubeconfig", config(tmp_path, port))
    assert found.code == 3
    assert found.err.startswith(f"error: the cluster cannot be reached: http://127.0.0.1:{port}: ")


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (["--timeout", "2x"], "'2x' is not a duration such as 30s or 2m"),
        (["--timeout", "0"], "'0' is not a duration such as 30s or 2m"),
        (["--timeout=-1s"], "'-1s' is not a duration such as 30s or 2m"),
        (["-n", "A"], "--namespace"),
    ],
)
def test_wrong_calls(options: list[object], wrong: list[str], text: str) -> None:
    found = run(*options, *wrong)
    assert (found.code, found.out) == (2, "")
    assert text in found.err


def test_it_waits_until_all_is_well(api: Api, options: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    api.well_after = 2
    found = run(*options, "--wait", "--timeout", "1m")
    assert (found.code, found.out.splitlines()[0], api.asked) == (0, "all is well", 3)
    text = "no process leads: there is no Lease ovnguard-system/ovnguard-reconciler-cluster"
    assert found.err == f"waiting: 1 finding: {text}\n"


def test_it_waits_no_longer_than_told(api: Api, options: list[object]) -> None:
    api.lists["leases"].clear()
    found = run(*options, "--wait", "--timeout", "100ms")
    assert (found.code, found.out.splitlines()[0].partition(":")[0], found.err) == (1, "wrong", "")


def test_it_waits_for_a_server_and_says_so_at_the_end(api: Api, options: list[object]) -> None:
    api.codes["pods"] = 503
    found = run(*options, "--wait", "--timeout", "100ms")
    assert (found.code, found.err) == (3, "error: the cluster cannot be reached: 503 Forbidden: no\n")


def test_it_lists_the_webhooks_pods_in_its_own_namespace() -> None:
    path, query = PLACES[WEBHOOK_PODS]
    assert (path, query) == (
        "/api/v1/namespaces/ovnguard-system/pods",
        {"labelSelector": "app.kubernetes.io/component=webhook"},
    )
