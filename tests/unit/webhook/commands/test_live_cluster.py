"""A worker that may not read everything says so."""

import threading

import pytest

from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.cluster import listwatch
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from ovnguard.validators.cluster.live_view import Informer
from ovnguard.validators.cluster.resources import NODES, OPERATOR_NETWORKS
from ovnguard.webhook.admission.served_schemas import ServedSchemas
from ovnguard.webhook.commands import live_cluster
from ovnguard.webhook.commands.live_cluster import LiveCluster

OPENSHIFT = "/namespaces/openshift-"


class Cluster:
    """Serves nothing but the given paths, and refuses some."""

    def __init__(self, refused: tuple[str, ...], served: tuple[str, ...] = ()) -> None:
        self.refused, self.served = refused, served

    def request(self, _method, path, *_):
        if any(each in path for each in self.refused):
            raise ApiStatusError(403, "Forbidden", "no")
        if path in self.served:
            return {"metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": "cluster"}}]}
        raise ApiStatusError(404, "NotFound", "there is none")

    def watch(self, *_):
        return Silent()


class Silent:
    """A watch without events."""

    def __init__(self):
        self.closed = threading.Event()

    def events(self):
        self.closed.wait()
        return iter(())

    def close(self):
        """End the watch."""
        self.closed.set()


@pytest.fixture
def _ending(monkeypatch):
    """No watch outlives its test: it would write into the log that another test reads."""
    made = []

    def informer(*given, **named):
        made.append(Informer(*given, **named))
        return made[-1]

    monkeypatch.setattr(live_cluster, "Informer", informer)
    yield
    for each in made:
        each.stop(60)


@pytest.mark.usefixtures("_ending")
@pytest.mark.parametrize(
    ("refused", "served", "reasons", "counted"),
    [
        ((), (), (), ()),
        ((NODES.path,), (), ("the API server refuses to list nodes",), ("nodes",)),
        # only OpenShift has these namespaces
        ((OPENSHIFT,), (), (), ("configmaps", "daemonsets", "deployments", "statefulsets")),
        (
            (OPENSHIFT,),
            (OPERATOR_NETWORKS.path,),
            ("the API server refuses to list configmaps, daemonsets, deployments, statefulsets",),
            ("configmaps", "daemonsets", "deployments", "statefulsets"),
        ),
    ],
)
def test_a_refused_watch_is_a_reason_not_to_be_ready(monkeypatch, refused, served, reasons, counted):
    monkeypatch.setattr(listwatch, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(listwatch, "NOT_SERVED_PAUSE", 60.0)
    cluster = LiveCluster(Cluster(refused, served), ServedSchemas(Catalog()))
    cluster.start()
    assert cluster.wait(60)
    assert cluster.unready() == reasons
    assert cluster.refused() == counted
