"""What an archive of a cluster cannot hold: rows of objects that nobody collected are not drift.

A must-gather has the objects of some namespaces, and some kinds never. The owner of a row says what may be missing.

Sources: ovn-kubernetes, ``pkg/libovsdb/ops/db_object_types.go`` (owner types and their names), ``pkg/ovn/pods.go``,
``pkg/ovn/controller/services``.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.comparison.identities import IdentifiedRow
from ovnguard.reconciler.plan.comparison.newer_objects import NOTHING_NEWER, NewerObjects
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side
from ovnguard.reconciler.plan.rows.row import OWNER_TYPE, Row

_NAME: Final = "k8s.ovn.org/name"
EVERYWHERE: Final = "*"
"""In the place of a namespace: all objects of the cluster were collected."""
PODS: Final = "pods"
SERVICES: Final = "services"
# Resources of owner types whose name is that of an object, that of its namespace, or both with a colon.
_BY_NAMESPACE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "EgressFirewall": "egressfirewalls",
        "EgressQoS": "egressqoses",
        "MulticastNS": "namespaces",
        "Namespace": "namespaces",
        "NetpolNamespace": "networkpolicies",
        "NetworkPolicy": "networkpolicies",
        "NetworkQoS": "networkqoses",
    }
)
_WITHOUT_NAMESPACE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AdminNetworkPolicy": "adminnetworkpolicies",
        "BaselineAdminNetworkPolicy": "baselineadminnetworkpolicies",
        "ClusterNetworkConnect": "clusternetworkconnects",
    }
)
# Sets of addresses of all namespaces, by a part of their id.
_SETS: Final[Mapping[str, str]] = MappingProxyType(
    {":EgressIP:": PODS, ":EgressService:": "egressservices", ":Namespace:": PODS, ":UDNEnabledService:": SERVICES}
)
# The name of an owner that is a pod: eip_shop/web-1 for one of an EgressIP, OpenPort-shop/web-1, and shop/vm.
_POD: Final = re.compile(r"(?:[^_/]*_|OpenPort-)?(?P<namespace>[a-z0-9-]+)/[^/]+")
_SERVICE: Final = re.compile(r"Service_(?P<namespace>[a-z0-9-]+)/")


class _Owner(NamedTuple):
    """The resource of a row's owner, and its namespace, '' for an owner without one or in any."""

    resource: str
    namespace: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """The namespaces whose objects were collected, by resource (``pods``); a resource that is absent never was.

    Of objects without a namespace it is ''; of ``namespaces`` the names; `EVERYWHERE` means all. ``whole``: everything
    was collected, as from a live cluster. ``newer`` are the objects that are newer than the compared database,
    ``columns`` those that its schema has, by table; without any it has all.
    """

    namespaces: Mapping[str, frozenset[str]] = field(default_factory=dict)
    whole: bool = True
    newer: NewerObjects = NOTHING_NEWER
    columns: Mapping[str, Container[str]] = field(default_factory=dict)

    def storable(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield planned rows as far as the database can have them."""
        for row in rows:
            known = self.columns.get(row.table)
            if not self.columns:
                yield row
            elif known is not None:
                yield replace(row, columns={name: value for name, value in row.columns.items() if name in known})

    def has(self, resource: str) -> bool:
        """Return whether objects of a resource were collected in any namespace."""
        return self.whole or resource in self.namespaces

    def has_all(self, resource: str) -> bool:
        """Return whether all objects of a resource were collected."""
        return self.whole or EVERYWHERE in self.namespaces.get(resource, ())

    def uncollected(self, each: Difference) -> str:
        """Return the objects whose absence may explain a difference (``pods of namespace shop``), '' for none."""
        if self.whole or each.side is Side.PLANNED:
            return ""
        owner = _owner(each.row) if each.row is not None else _members(each)
        if owner is None or {owner.namespace, EVERYWHERE} & self.namespaces.get(owner.resource, frozenset()):
            return ""
        if owner.resource == "namespaces":
            return f"namespace {owner.namespace}"
        return f"{owner.resource} of namespace {owner.namespace}" if owner.namespace else owner.resource


EVERYTHING: Final = Coverage()


def is_of_namespace(each: Difference, namespace: str) -> bool:
    """Return whether a row was made for an object of a namespace, by its owner or by its name."""
    owner = _owner(each.row) if each.row is not None else None
    if owner is not None and owner.namespace == namespace:
        return True
    marks = [f"{namespace}/", f":{namespace}:"]
    marks += [f"_{namespace}_"] if each.table == "Logical_Switch_Port" else []
    return any(mark in f"_{each.identity}" for mark in marks)


def _owner(row: IdentifiedRow) -> _Owner | None:
    """The owner of a row that was made for one object."""
    if row.table == "Logical_Switch_Port" and row.entry("external_ids", "pod") == "true":
        return _Owner(PODS, row.entry("external_ids", "namespace"))
    if row.entry("external_ids", "k8s.ovn.org/kind") == "Service":
        return _Owner(SERVICES, row.entry("external_ids", "k8s.ovn.org/owner").partition("/")[0])
    if served := row.entry("external_ids", "EgressSVC"):
        return _Owner("egressservices", served.partition("/")[0])
    owner_type, name = row.entry("external_ids", OWNER_TYPE), row.entry("external_ids", _NAME)
    if owner_type in _BY_NAMESPACE:
        return _Owner(_BY_NAMESPACE[owner_type], name.partition(":")[0])
    if owner_type in _WITHOUT_NAMESPACE:
        return _Owner(_WITHOUT_NAMESPACE[owner_type], "")
    pod = _POD.fullmatch(name) if owner_type else None
    return _Owner(PODS, pod["namespace"]) if pod else None


def _members(each: Difference) -> _Owner | None:
    """The owner of what only the zone has in a column: members of a set, and servers of a service."""
    if each.planned:
        return None
    if each.table == "Address_Set" and each.column == "addresses":
        return next((_Owner(resource, "") for part, resource in _SETS.items() if part in each.identity), None)
    service = _SERVICE.match(each.identity) if each.table == "Load_Balancer" else None
    return _Owner("endpointslices", service["namespace"]) if service else None
