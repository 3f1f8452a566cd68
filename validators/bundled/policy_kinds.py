"""Which kinds and objects the bundled policies match, as a table: other objects import and parse no policy.

`validators.bundled.bundled_policies` evaluates the policies. A test compares the table with the files, and the keys
with the cases of every policy.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import GroupKind

NAMESPACED: Final = "Namespaced"
CLUSTER: Final = "Cluster"


class Watched(NamedTuple):
    """A kind that policies match: its resource and scope, the files, and what an object must have to match.

    ``keys`` are annotations and labels, one of which the object or the old one has, or ``fields`` of the spec; with
    neither, every object counts. ``names`` are those of the objects, all when empty.
    """

    version: str
    resource: str
    scope: str
    files: tuple[str, ...]
    keys: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


_LB: Final = "service.beta.kubernetes.io"
_WORKLOADS: Final = frozenset({"ovnkube-node", "ovnkube-master", "ovnkube-control-plane"})
WATCHED: Final[Mapping[GroupKind, Watched]] = {
    GroupKind("", "ConfigMap"): Watched(
        "v1",
        "configmaps",
        NAMESPACED,
        ("interconnect-configuration", "interconnect-configuration-advice"),
        names=frozenset({"ovn-interconnect-configuration"}),
    ),
    GroupKind("", "Service"): Watched(
        "v1",
        "services",
        NAMESPACED,
        ("load-balancer-service", "load-balancer-service-advice", "dynamic-allocation-service"),
        keys=frozenset(
            {
                f"{_LB}/aws-load-balancer-name",
                f"{_LB}/aws-load-balancer-eip-allocations",
                f"{_LB}/azure-load-balancer-ipv4",
                f"{_LB}/azure-load-balancer-ipv6",
                "kubernetes.io/ingress.global-static-ip-name",
            }
        ),
        fields=frozenset({"type", "externalIPs", "loadBalancerIP"}),
    ),
    GroupKind("", "Namespace"): Watched(
        "v1",
        "namespaces",
        CLUSTER,
        ("primary-network-namespace",),
        keys=frozenset({"k8s.ovn.org/primary-user-defined-network"}),
    ),
    GroupKind("", "Node"): Watched(
        "v1",
        "nodes",
        CLUSTER,
        ("node-network", "node-network-advice"),
        keys=frozenset(
            {
                "k8s.ovn.org/layer2-topology-version",
                "k8s.ovn.org/node-id",
                "k8s.ovn.org/zone-name",
                "k8s.ovn.org/internal-bgp-role",
            }
        ),
    ),
    GroupKind("k8s.cni.cncf.io", "NetworkAttachmentDefinition"): Watched(
        "v1",
        "network-attachment-definitions",
        NAMESPACED,
        ("network-attachment-keys",),
        keys=frozenset({"k8s.ovn.org/network-id", "k8s.ovn.org/tunnel-keys"}),
    ),
    **{
        GroupKind("apps", kind): Watched(
            "v1", f"{kind.lower()}s", NAMESPACED, ("interconnect-workloads",), names=_WORKLOADS
        )
        for kind in ("DaemonSet", "Deployment", "StatefulSet")
    },
}


def has_policies_for(kind: GroupKind, obj: JsonObject | None, old: JsonObject | None = None) -> bool:
    """Whether a policy can match an object of ``kind``, judged by the keys, fields and names of both objects."""
    watched = WATCHED.get(kind)
    if watched is None:
        return False
    seen = [each for each in (obj, old) if each is not None]
    metadata = [_mapping(each.get("metadata")) for each in seen]
    if watched.names and not any(str(each.get("name")) in watched.names for each in metadata):
        return False
    if not watched.keys and not watched.fields:
        return True
    held = [key for each in metadata for place in ("annotations", "labels") for key in _mapping(each.get(place))]
    held_fields = [key for each in seen for key in _mapping(each.get("spec"))]
    return not watched.keys.isdisjoint(held) or not watched.fields.isdisjoint(held_fields)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
