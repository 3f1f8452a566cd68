"""Which rows belong to which policy object: those that no plan contains, and the objects that must exist for them.

Sources: ovn-kubernetes, ``pkg/libovsdb/ops/db_object_types.go`` (owner types and the keys of each),
``pkg/ovn/controller/apbroute`` (routes of external gateways).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.comparison.identities import IdentifiedRow
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.policies import has_multicast
from ovnguard.validators.network.cluster_view import (
    ADMIN_NETWORK_POLICY,
    BASELINE_ADMIN_NETWORK_POLICY,
    EGRESS_FIREWALL,
    EGRESS_QOS,
    EXTERNAL_ROUTE,
    MULTI_NETWORK_POLICY,
    NAMESPACE,
    NETWORK_POLICY,
    NETWORK_QOS,
    ClusterView,
    GroupKind,
)
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.parse_values import annotation

POLICY_KINDS: Final = (
    NETWORK_POLICY,
    MULTI_NETWORK_POLICY,
    ADMIN_NETWORK_POLICY,
    BASELINE_ADMIN_NETWORK_POLICY,
    EGRESS_FIREWALL,
    EGRESS_QOS,
    NETWORK_QOS,
    EXTERNAL_ROUTE,
)
"""The kinds of policy objects, whose rows no plan contains."""
_EXTERNAL_GATEWAYS: Final = "k8s.ovn.org/routing-external-gws"
_OWNER_TYPE: Final = "k8s.ovn.org/owner-type"
_OWNER_NAME: Final = "k8s.ovn.org/name"
_ANY: Final = "any"
_POLICIES: Final = (NETWORK_POLICY, MULTI_NETWORK_POLICY)


class _Owner(NamedTuple):
    """Rows of one owner type: their tables, the kinds of the object, and what their name says about it."""

    tables: tuple[str, ...]
    kinds: tuple[GroupKind, ...]
    name: str


# The name of an owner is that of the object, that of its namespace, or both with a colon; `_ANY` is another name.
_OWNERS: Final[Mapping[str, _Owner]] = MappingProxyType(
    {
        "AdminNetworkPolicy": _Owner(("ACL", "Address_Set", "Port_Group"), (ADMIN_NETWORK_POLICY,), "name"),
        "BaselineAdminNetworkPolicy": _Owner(
            ("ACL", "Address_Set", "Port_Group"), (BASELINE_ADMIN_NETWORK_POLICY,), "name"
        ),
        "EgressFirewall": _Owner(("ACL",), (EGRESS_FIREWALL,), "namespace"),
        "EgressFirewallDNS": _Owner(("Address_Set",), (EGRESS_FIREWALL,), _ANY),
        "EgressQoS": _Owner(("Address_Set", "QoS"), (EGRESS_QOS,), "namespace"),
        "HybridNodeRoute": _Owner(("Address_Set",), (), _ANY),
        "Namespace": _Owner(("Address_Set", "Port_Group"), (NAMESPACE,), "name"),
        "NetpolNamespace": _Owner(("ACL", "Port_Group"), _POLICIES, "namespace"),
        "NetworkPolicy": _Owner(("ACL", "Address_Set", "Port_Group"), _POLICIES, "both"),
        "NetworkQoS": _Owner(("Address_Set", "QoS"), (NETWORK_QOS,), "both"),
        "PodSelector": _Owner(
            ("Address_Set",), (*_POLICIES, ADMIN_NETWORK_POLICY, BASELINE_ADMIN_NETWORK_POLICY, NETWORK_QOS), _ANY
        ),
    }
)
# Templates of load balancers, and samples of observed packets.
_TABLES: Final = frozenset({"Chassis_Template_Var", "Sample", "Sample_Collector", "Sampling_App"})


@dataclass(frozen=True, slots=True)
class PolicyObjects:
    """The policy objects of a cluster, as ``namespace:name`` by kind, and the Namespaces with an annotation.

    A kind that is not among them is unknown: where all kinds are that an owner may have, it may exist. ``multicast``
    and ``gateways`` are the Namespaces whose pods get multicast, or have external gateways by an annotation; None while
    they are unknown.
    """

    names: Mapping[GroupKind, frozenset[str]] = field(default_factory=dict)
    multicast: frozenset[str] | None = None
    gateways: frozenset[str] | None = None

    def owner_of(self, row: IdentifiedRow) -> str:
        """Return the controller of a row that no plan contains, '' for a row that a plan could contain.

        The object that the row is for exists, as far as its kind is known.
        """
        if row.table in _TABLES:
            return row.table
        if row.table == "Logical_Router_Static_Route" and row.entry("options", "ecmp_symmetric_reply") == "true":
            return EXTERNAL_ROUTE.kind if self._has_gateways() else ""
        owner_type = row.entry("external_ids", _OWNER_TYPE)
        return owner_type if self._has(owner_type, row) else ""

    def _has_gateways(self) -> bool:
        routes = self.names.get(EXTERNAL_ROUTE)
        return routes is None or self.gateways is None or bool(routes or self.gateways)

    def _has(self, owner_type: str, row: IdentifiedRow) -> bool:
        name = row.entry("external_ids", _OWNER_NAME)
        if owner_type == "MulticastNS":
            return row.table == "ACL" and (self.multicast is None or name in self.multicast)
        owner = _OWNERS.get(owner_type)
        if owner is None or row.table not in owner.tables:
            return False
        known = [self.names[kind] for kind in owner.kinds if kind in self.names]
        return not known or any(_has(names, owner.name, name) for names in known)


UNKNOWN_POLICIES: Final = PolicyObjects()


def policies_of(view: ClusterView) -> PolicyObjects:
    """Return the policy objects of ``view``."""
    listed = {kind: objects for kind in (*POLICY_KINDS, NAMESPACE) if (objects := view.objects(kind)) is not None}
    names = {kind: frozenset(map(_name_of, objects)) for kind, objects in listed.items()}
    namespaces = listed.get(NAMESPACE)
    if namespaces is None:
        return PolicyObjects(names)
    multicast = frozenset(ref_of(obj).name for obj in namespaces if has_multicast(obj))
    gateways = frozenset(ref_of(obj).name for obj in namespaces if annotation(obj, _EXTERNAL_GATEWAYS)[1])
    return PolicyObjects(names, multicast, gateways)


def _has(known: frozenset[str], part: str, name: str) -> bool:
    if part == "namespace":
        return any(each.partition(":")[0] == name for each in known)
    return bool(known) if part == _ANY else (name if part == "both" else f":{name}") in known


def _name_of(obj: JsonObject) -> str:
    ref = ref_of(obj)
    return f"{ref.namespace}:{ref.name}"
