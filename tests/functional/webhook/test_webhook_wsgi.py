"""The application under another WSGI server than ours: the standard library's."""

import contextlib
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from ovnguard.validators.admission import judge
from ovnguard.validators.network.cluster_view import EmptyView
from ovnguard.webhook.admission.warmup import warm
from ovnguard.webhook.app import Options, create_app
from tests.support.admission_reviews import UID, body, network

JSON = {"Content-Type": "application/json"}


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(options: Options = Options()) -> Iterator[str]:  # noqa: B008 - frozen
    with make_server("127.0.0.1", 0, create_app(EmptyView(), judge, options), handler_class=Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(5)


def post(url: str, data: bytes) -> dict:
    request = urllib.request.Request(url, data, JSON, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())["response"]


def test_any_wsgi_server_carries_it():
    # or the first verdict loads schemas within the deadline of its call
    warm(judge)
    with served() as url:
        layer2 = {"role": "Primary", "subnets": ["100.88.0.0/15"]}
        good = network(namespaceSelector={}, network={"topology": "Layer2", "layer2": layer2})
        patched = post(f"{url}/mutate?timeout=5s", body(object=good))
        assert (patched["uid"], patched["patchType"]) == (UID, "JSONPatch")
        denied = post(f"{url}/validate", body(object=network(network={})))
        assert (denied["uid"], denied["allowed"]) == (UID, False)
        with urllib.request.urlopen(f"{url}/readyz", timeout=60) as answer:
            assert answer.read() == b"ok\n"


def test_without_client_verification_no_user_is_trusted():
    with served(Options(clients=frozenset())) as url, pytest.raises(urllib.error.HTTPError) as refused:
        post(f"{url}/validate", body())
    assert refused.value.code == 403
    refused.value.close()
