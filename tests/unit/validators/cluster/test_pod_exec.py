"""Commands in containers, against a kubelet's own protocol; the API server between both is in tests/e2e."""

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError, ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import KubernetesClient, connect
from tests.support.deployed.kubelet import kubelet
from tests.testbed.pki import Authority

pytestmark = pytest.mark.timing


@pytest.fixture
def client(tmp_path: Path) -> Iterator[KubernetesClient]:
    (tmp_path / "pki").mkdir()
    authority = Authority(tmp_path / "pki")
    with kubelet(authority.server("kubelet"), {"SHELL": "/bin/sh"}) as port:
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": "c",
                    "cluster": {
                        "server": f"https://127.0.0.1:{port}",
                        "certificate-authority": str(authority.ca_file),
                    },
                }
            ],
            "users": [{"name": "u", "user": {"token": "secret"}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        (tmp_path / "kubeconfig").write_text(json.dumps(config))
        with closing(connect(ClusterOptions(str(tmp_path / "kubeconfig"), None, "me"))) as client:
            yield client
    gc.collect()  # a connection that is left open is an error of its own test


def test_what_a_command_prints_arrives_whole(client: KubernetesClient) -> None:
    """In many messages, and in a text that is none."""
    command = ("SHELL", "-c", "head -c 300000 /dev/zero; printf '\\377\\001'; echo noise >&2")
    assert b"".join(client.execute("/exec/a/b/c", "c", command)) == bytes(300000) + b"\xff\x01"


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("echo ' no   such\nsocket' >&2; exit 3", "SHELL: no such socket"),
        ("exit 3", "SHELL: exit code 3"),
        ("printf half; exit 1", "SHELL: exit code 1"),
        ("abort", "SHELL: the connection ended before the command"),
    ],
)
def test_a_command_that_fails_is_an_error(client: KubernetesClient, script: str, text: str) -> None:
    with pytest.raises(ClusterError) as raised:
        list(client.execute("/exec/a/b/c", "c", ("SHELL", "-c", script)))
    assert str(raised.value) == text


def test_a_refusal_is_that_of_the_server(client: KubernetesClient) -> None:
    with pytest.raises(ApiStatusError) as raised:
        list(client.execute("/forbidden", "c", ("SHELL",)))
    assert str(raised.value) == "403 Forbidden: no"


def test_a_log_arrives_as_it_is(client: KubernetesClient) -> None:
    assert b"".join(client.stream("/containerLogs/a/b", {"container": "c"})) == b"log of a/b\n"


@pytest.mark.parametrize(
    "ask", [lambda client: client.stream("/x", {}), lambda client: client.execute("/x", "c", ("SHELL",))]
)
def test_a_server_that_is_gone_is_an_error(ask: Callable[[KubernetesClient], Iterator[bytes]], tmp_path: Path) -> None:
    config = {
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "secret"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    with pytest.raises(ClusterError, match=r"Connection refused"):
        list(ask(connect(ClusterOptions(str(tmp_path / "kubeconfig"), None, "me"))))
