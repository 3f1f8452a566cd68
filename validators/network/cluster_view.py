"""The cluster view: the objects around a network that rules query.

For each kind, a view returns all objects, or None if it does not know them. A rule whose facts are None is noted once
as "not checked: needs ..." and never guesses.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from ovnguard.validators.base.json_types import JsonObject


class GroupKind(NamedTuple):
    """API group and kind; the core group is the empty string."""

    group: str
    kind: str


NODE = GroupKind("", "Node")
NAMESPACE = GroupKind("", "Namespace")
OPERATOR_NETWORK = GroupKind("operator.openshift.io", "Network")
OPERATOR_NETWORK_NAME = "cluster"
CUDN = GroupKind("k8s.ovn.org", "ClusterUserDefinedNetwork")
UDN = GroupKind("k8s.ovn.org", "UserDefinedNetwork")
NAD = GroupKind("k8s.cni.cncf.io", "NetworkAttachmentDefinition")
ROUTE_ADVERTISEMENTS = GroupKind("k8s.ovn.org", "RouteAdvertisements")
BGP_SESSION_STATE = GroupKind("frrk8s.metallb.io", "BGPSessionState")
FRR_CONFIGURATION = GroupKind("frrk8s.metallb.io", "FRRConfiguration")
EGRESS_IP = GroupKind("k8s.ovn.org", "EgressIP")
EGRESS_SERVICE = GroupKind("k8s.ovn.org", "EgressService")
CLUSTER_NETWORK_CONNECT = GroupKind("k8s.ovn.org", "ClusterNetworkConnect")
UPLINK = GroupKind("k8s.ovn.org", "Uplink")
UPLINK_STATE = GroupKind("k8s.ovn.org", "UplinkState")
SERVICE = GroupKind("", "Service")
SECRET = GroupKind("", "Secret")
NETWORK_POLICY = GroupKind("networking.k8s.io", "NetworkPolicy")
MULTI_NETWORK_POLICY = GroupKind("k8s.cni.cncf.io", "MultiNetworkPolicy")
ADMIN_NETWORK_POLICY = GroupKind("policy.networking.k8s.io", "AdminNetworkPolicy")
BASELINE_ADMIN_NETWORK_POLICY = GroupKind("policy.networking.k8s.io", "BaselineAdminNetworkPolicy")
EGRESS_FIREWALL = GroupKind("k8s.ovn.org", "EgressFirewall")
EGRESS_QOS = GroupKind("k8s.ovn.org", "EgressQoS")
NETWORK_QOS = GroupKind("k8s.ovn.org", "NetworkQoS")
EXTERNAL_ROUTE = GroupKind("k8s.ovn.org", "AdminPolicyBasedExternalRoute")
CONFIG_MAP = GroupKind("", "ConfigMap")
POD = GroupKind("", "Pod")
DAEMON_SET = GroupKind("apps", "DaemonSet")
DEPLOYMENT = GroupKind("apps", "Deployment")
STATEFUL_SET = GroupKind("apps", "StatefulSet")
CLUSTER_VERSION = GroupKind("config.openshift.io", "ClusterVersion")
INFRASTRUCTURE = GroupKind("config.openshift.io", "Infrastructure")
CONFIG_NETWORK = GroupKind("config.openshift.io", "Network")
CONFIG_DNS = GroupKind("config.openshift.io", "DNS")
CONFIG_INGRESS = GroupKind("config.openshift.io", "Ingress")
INGRESS_CONTROLLER = GroupKind("operator.openshift.io", "IngressController")
DNS_RECORD = GroupKind("ingress.operator.openshift.io", "DNSRecord")
INSTALL_CONFIG = GroupKind("install.openshift.io", "InstallConfig")
NAMESPACED_KINDS = frozenset(
    {
        UDN,
        NAD,
        FRR_CONFIGURATION,
        EGRESS_SERVICE,
        SERVICE,
        NETWORK_POLICY,
        MULTI_NETWORK_POLICY,
        EGRESS_FIREWALL,
        EGRESS_QOS,
        NETWORK_QOS,
        CONFIG_MAP,
        POD,
        DAEMON_SET,
        DEPLOYMENT,
        STATEFUL_SET,
        INGRESS_CONTROLLER,
        DNS_RECORD,
    }
)
"""The namespaced kinds that are read. A manifest may omit the namespace; ``""`` then stands for an unknown one."""
CLUSTER_KINDS = frozenset(
    {
        NODE,
        NAMESPACE,
        OPERATOR_NETWORK,
        CUDN,
        ROUTE_ADVERTISEMENTS,
        CLUSTER_NETWORK_CONNECT,
        EGRESS_IP,
        ADMIN_NETWORK_POLICY,
        BASELINE_ADMIN_NETWORK_POLICY,
        EXTERNAL_ROUTE,
        CLUSTER_VERSION,
        INFRASTRUCTURE,
        CONFIG_NETWORK,
        CONFIG_DNS,
        CONFIG_INGRESS,
    }
)
"""The cluster-scoped kinds that rules read. The API server removes a namespace that a manifest of them has."""


class ClusterView(Protocol):
    """The objects that a judgement may read besides the request."""

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """All objects of ``kind``, in no particular order, or None when this view does not know them."""


class EmptyView:
    """A view that knows no kind."""

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return None for every kind."""
        return None


class ObjectsView:
    """A fixed set of objects, such as the content of a folder or a multi-document stream.

    A kind without an object counts as unknown, because a folder without nodes does not mean a cluster without nodes.
    ``complete`` are kinds of which the cluster has no other objects, ``all_complete`` means every kind. ``requested``
    are those of the objects that the cluster does not have yet, in the order of their requests.
    """

    def __init__(
        self,
        objects: Sequence[JsonObject],
        complete: Iterable[GroupKind] = (),
        *,
        all_complete: bool = False,
        requested: Sequence[JsonObject] = (),
    ) -> None:
        self.requested = requested
        self._by_kind: dict[GroupKind, list[JsonObject]] = {kind: [] for kind in complete}
        self._without: Sequence[JsonObject] | None = () if all_complete else None
        for obj in objects:
            group = str(obj.get("apiVersion", "")).rpartition("/")[0]
            self._by_kind.setdefault(GroupKind(group, str(obj.get("kind", ""))), []).append(obj)

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return the given objects of ``kind``, or None when there are none and ``kind`` is not complete."""
        return self._by_kind.get(kind, self._without)
