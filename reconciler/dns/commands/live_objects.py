"""The objects of a live cluster that its DNS depends on, read once."""

from collections.abc import Iterator
from typing import Final

from ovnguard.reconciler.dns.plan.load_balancer import CONTROLLER, SERVICE
from ovnguard.reconciler.dns.plan.static_pod import NAMESPACE
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError, Client
from ovnguard.validators.network.cluster_view import ObjectsView

_CONFIG: Final = "/apis/config.openshift.io/v1"
_CONTROLLER: Final = "/apis/operator.openshift.io/v1/namespaces/{}/ingresscontrollers/{}"
_OBJECTS: Final = (
    f"{_CONFIG}/infrastructures/cluster",
    f"{_CONFIG}/dnses/cluster",
    f"{_CONFIG}/clusterversions/version",
    _CONTROLLER.format(*CONTROLLER.split("/")),
    "/api/v1/namespaces/{}/services/{}".format(*SERVICE.split("/")),
)
_RECORDS: Final = "/apis/ingress.operator.openshift.io/v1/namespaces/{}/dnsrecords"
_LISTS: Final = (
    ("v1", "Node", "/api/v1/nodes"),
    ("v1", "Pod", f"/api/v1/namespaces/{NAMESPACE}/pods"),
    ("ingress.operator.openshift.io/v1", "DNSRecord", _RECORDS.format(CONTROLLER.split("/")[0])),
)
_NOT_FOUND: Final = 404


def live_view(client: Client) -> ObjectsView:
    """Return the objects of a cluster; those that it does not have are absent.

    Raises ClusterError when the API server cannot be reached or refuses.
    """
    return ObjectsView(list(_objects(client)), all_complete=True)


def _objects(client: Client) -> Iterator[JsonObject]:
    for path in _OBJECTS:
        found = _get(client, path)
        if found is not None:
            yield found
    for version, kind, path in _LISTS:
        listed = (_get(client, path) or {}).get("items")
        # items of a list have no kind of their own
        for item in listed if isinstance(listed, list) else ():
            yield {**item, "apiVersion": version, "kind": kind}


def _get(client: Client, path: str) -> JsonObject | None:
    try:
        return client.request("GET", path)
    except ApiStatusError as error:
        if error.code == _NOT_FOUND:
            return None
        raise
