"""A live view says what it knows, and that it does not know."""

import threading

import pytest

from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.cache import Cache
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.cluster.live_view import Informer, LiveView
from ovnguard.validators.cluster.resources import CUDNS, NADS, NODES, UDNS, Part
from ovnguard.validators.network.cluster_view import CUDN, NODE, OPERATOR_NETWORK, UDN


def obj(name: str, namespace: str = ""):
    return {
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "kind": "K",
        "apiVersion": "v",
    }


def test_paths():
    assert NODES.path == "/api/v1/nodes"
    assert CUDNS.path == "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"
    assert CUDNS.object_path("", "a b", "status") == f"{CUDNS.path}/a%20b/status"
    assert UDNS.object_path("ns/x", "n") == "/apis/k8s.ovn.org/v1/namespaces/ns%2Fx/userdefinednetworks/n"
    assert NADS.path == "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions"


def test_unknown_until_listed_and_unknown_when_not_served():
    nodes, cudns = Cache(NODES), Cache(CUDNS)
    view = LiveView([nodes, cudns])
    assert view.objects(NODE) is None
    assert view.objects(OPERATOR_NETWORK) is None
    assert view.waiting_for() == ("nodes", "clusteruserdefinednetworks")
    nodes.replace([])
    assert view.objects(NODE) == ()
    assert view.waiting_for() == ("clusteruserdefinednetworks",)
    cudns.not_served()
    assert view.objects(CUDN) is None
    assert view.waiting_for() == ()


def test_objects_are_ordered_by_namespace_and_name():
    cache = Cache(UDNS)
    cache.replace([obj("b", "y"), obj("a", "y")])
    cache.put(obj("z", "x"))
    cache.drop(obj("b", "y"))
    cache.drop(obj("never", "seen"))
    assert [each["metadata"]["name"] for each in cache.objects() or ()] == ["z", "a"]


def test_what_is_kept_as_it_was_is_no_change():
    cache = Cache(NODES, Part(trim=trim.node))
    cache.replace([{**obj("n"), "status": {"addresses": [1], "heartbeat": 1}}])
    before = cache.objects()
    cache.put({**obj("n"), "status": {"addresses": [1], "heartbeat": 2}})
    assert cache.objects() is before
    cache.put({**obj("n"), "status": {"addresses": [2]}})
    assert cache.objects() != before


def test_parts_of_a_kind_are_one_answer():
    one, two = Cache(UDNS, Part(namespace="x")), Cache(UDNS, Part(namespace="y"))
    view = LiveView([one, two])
    one.replace([obj("a", "x")])
    assert view.objects(UDN) is None
    assert view.waiting_for() == ("userdefinednetworks",)
    two.replace([obj("b", "y")])
    joined = view.objects(UDN)
    assert [each["metadata"]["name"] for each in joined or ()] == ["a", "b"]
    assert view.objects(UDN) is joined
    two.put(obj("c", "y"))
    assert len(view.objects(UDN) or ()) == 3
    two.refused()
    assert view.objects(UDN) is None
    assert view.waiting_for() == ()


class Refusing:
    def __init__(self) -> None:
        self.asked = threading.Event()

    def request(self, *_args, **_kwargs):
        self.asked.set()
        raise ClusterError("no")

    def watch(self, *_args, **_kwargs):
        raise ClusterError("no")


class Broken(Refusing):
    def request(self, *_args, **_kwargs):
        raise KeyError("a bug")


@pytest.mark.timing
def test_an_informer_stops_at_once_even_while_it_pauses():
    client = Refusing()
    informer = Informer(client, [NODES, CUDNS], lambda: None)
    informer.start()
    assert client.asked.wait(60)
    assert informer.dead() == ()
    informer.stop()
    assert informer.dead() == ()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("watch-")]


@pytest.mark.timing
def test_a_dead_thread_is_reported(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    informer = Informer(Broken(), [NODES], lambda: None)
    # other tests may have left threads of this name behind
    before = set(threading.enumerate())
    informer.start()
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert informer.dead() == ("watch-nodes",)
    informer.stop()
