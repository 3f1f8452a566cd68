"""The release of a cluster decides how manifests are judged, unless --kubernetes-version names one."""

import contextlib
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from ovnguard.validators.cli.cluster_release import known_release
from ovnguard.validators.cli.outputs import FORMATS
from tests.support.preflight_run import report, run, widgets

pytestmark = pytest.mark.timing

Cluster: TypeAlias = Callable[[Any], tuple[str, str, list[str]]]
RULE = "unknown-kubernetes-release"
OBJECT = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nword: long\n"
NOT_FOUND = {"kind": "Status", "reason": "NotFound", "message": "there is no version"}
# the words of three generations of servers
BEFORE_32, BEFORE_34, SINCE_34 = (
    f"Too long: {text}"
    for text in ("may not be longer than 3", "may not be more than 3 bytes", "may not be more than 3 bytes")
)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every GET with `answer`, or if that is None, with 404."""

    answer: Any = None
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        code, value = (200, self.answer) if self.answer is not None else (404, NOT_FOUND)
        data = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """`cluster(answer)` gives the kubeconfig and the URL of a server, and the paths that it is asked for."""
    (tmp_path / "crd.yaml").write_text(widgets("{word: {type: string, maxLength: 3}}"))
    with contextlib.ExitStack() as stack:

        def start(answer: Any) -> tuple[str, str, list[str]]:
            asked: list[str] = []
            handler = type("Answering", (Handler,), {"answer": answer, "asked": asked})
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            stack.callback(server.server_close)
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            url = f"http://127.0.0.1:{server.server_port}"
            config = {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "c", "cluster": {"server": url}}],
                "users": [{"name": "u", "user": {"token": "secret"}}],
                "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
                "current-context": "x",
            }
            file = tmp_path / "kubeconfig"
            file.write_text(json.dumps(config))
            return str(file), url, asked

        yield start


def version(minor: str, **more: str) -> dict[str, str]:
    return {"major": "1", "minor": minor, "gitVersion": f"v1.{minor}.3", **more}


@pytest.mark.parametrize(
    ("minor", "judged", "which"),
    [(28, "1.29", "oldest"), (1, "1.29", "oldest"), (29, "1.29", ""), (37, "1.37", ""), (38, "1.37", "newest")],
)
def test_the_nearest_known_release(minor: int, judged: str, which: str) -> None:
    release, warnings = known_release(minor, "https://api")
    text = f"https://api runs Kubernetes 1.{minor}: judged like {judged}, the {which} release that is known"
    assert release == judged
    assert [(each.file, each.rule, each.severity, each.text) for each in warnings] == (
        [("<cluster>", RULE, "warning", text)] if which else []
    )


@pytest.mark.parametrize(
    ("answer", "options", "message"),
    [
        (version("31"), (), BEFORE_32),
        (version("32+"), (), BEFORE_34),
        (version("36"), ("--from-cluster",), SINCE_34),
        # a server with --emulated-version judges like an older one
        (version("36", emulationMajor="1", emulationMinor="31"), (), BEFORE_32),
        (version("31"), ("--kubernetes-version", "1.33"), BEFORE_34),
    ],
)
def test_the_cluster_says_which_release_judges(
    cluster: Cluster, tmp_path: Path, answer: Any, options: tuple[str, ...], message: str
) -> None:
    config, _, asked = cluster(answer)
    where = ("--crds", f"{tmp_path}/crd.yaml", "--kubeconfig", config, *options)
    code, document = report("-", *where, stdin=OBJECT)
    assert (code, [each["message"] for each in document["findings"]]) == (1, [message])
    assert asked == ([] if "--kubernetes-version" in options else ["/version"])


@pytest.mark.parametrize("name", FORMATS)
def test_another_release_is_one_warning_in_every_output(cluster: Cluster, name: str) -> None:
    config, url, _ = cluster(version("99"))
    result = run("-", "--kubeconfig", config, "-o", name, stdin="{}")
    text = "runs Kubernetes 1.99: judged like 1.37, the newest release that is known"
    assert result.stdout.count(text) == 1
    assert (RULE in result.stdout) is (name != "junit")
    assert url.rpartition(":")[2] in result.stdout


def test_the_warning_can_be_left_out_and_counts(cluster: Cluster) -> None:
    config, _, _ = cluster(version("9"))
    code, document = report("-", "--kubeconfig", config, stdin=OBJECT)
    assert (code, document["summary"]["warnings"]) == (0, 1)
    assert run("-", "--kubeconfig", config, "--warnings-as-errors", stdin=OBJECT).return_value == 1
    assert report("-", "--kubeconfig", config, "--ignore", RULE, stdin=OBJECT)[1]["summary"]["warnings"] == 0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "404 NotFound: there is no version"),
        ({}, "{url}: GET /version names no release of Kubernetes 1"),
        ({"major": "2", "minor": "1"}, "{url}: GET /version names no release of Kubernetes 1"),
        (version("thirty"), "{url}: GET /version names no release of Kubernetes 1"),
    ],
)
def test_a_cluster_without_a_version(cluster: Cluster, answer: Any, reason: str) -> None:
    config, url, _ = cluster(answer)
    text = f"the release of the cluster is unknown: {reason.format(url=url)}; name one with --kubernetes-version"
    assert run("-", "--kubeconfig", config, stdin=OBJECT) == (2, "", f"Error: {text}\n")
