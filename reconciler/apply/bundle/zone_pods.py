"""The pods that serve a zone, and copies of its databases, from the programs that run in them."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import PodClient
from ovnguard.validators.cluster.resources import Part, Resource
from ovnguard.validators.network.cluster.advertised_networks import OVNKUBE_NAMESPACES
from ovnguard.validators.network.cluster_view import POD
from ovnguard.validators.network.parse_values import dig, text_of

_PODS: Final = Resource(POD.group, "v1", "pods", POD.kind, namespaced=True)
# The container with the Northbound database: that of OpenShift's operator, and that of upstream's chart.
_SERVERS: Final = ("nbdb", "nb-ovsdb")
_SOCKETS: Final = "unix:/var/run/ovn"
NORTHBOUND, SOUTHBOUND = ("nb", "OVN_Northbound"), ("sb", "OVN_Southbound")


class ZonePod(NamedTuple):
    """A pod of OVN-Kubernetes; ``server`` is its container with the Northbound database, '' for none."""

    namespace: str
    name: str
    node: str
    containers: tuple[str, ...]

    @property
    def server(self) -> str:
        """The container with the databases of its zone, '' for none."""
        return next((each for each in _SERVERS if each in self.containers), "")

    def backup(self, client: PodClient, database: tuple[str, str]) -> Iterator[bytes]:
        """Yield a copy of a database as a file of one moment. Raises ClusterError.

        ``database`` is `NORTHBOUND` or `SOUTHBOUND`.
        """
        short, name = database
        command = ("ovsdb-client", "backup", f"{_SOCKETS}/ovn{short}_db.sock", name)
        return client.execute(_PODS.object_path(self.namespace, self.name, "exec"), self.server, command)

    def log(self, client: PodClient, container: str) -> Iterator[bytes]:
        """Yield the log of a container. Raises ClusterError."""
        path = _PODS.object_path(self.namespace, self.name, "log")
        return client.stream(path, {"container": container, "timestamps": "true"})


def ovnkube_pods(client: PodClient) -> tuple[ZonePod, ...]:
    """Return the pods in the namespaces of OVN-Kubernetes. Raises ClusterError."""
    found: list[ZonePod] = []
    for namespace in OVNKUBE_NAMESPACES:
        answer = client.request("GET", Part(namespace).path(_PODS), {})
        found += (_zone_pod(namespace, each) for each in answer.get("items") or ())
    return tuple(found)


def _zone_pod(namespace: str, pod: JsonObject) -> ZonePod:
    containers = dig(pod, "spec", "containers")
    names = (text_of(dig(each, "name")) for each in containers) if isinstance(containers, list) else ()
    return ZonePod(namespace, pod["metadata"]["name"], text_of(dig(pod, "spec", "nodeName")), tuple(names))
