"""Merges the FRRConfigurations of one node into its routers, or returns why frr-k8s cannot and writes nothing.

frr-k8s keeps the node's previous configuration on any fault, so one invalid object blocks every routing change there.
Source: frr-k8s, ``internal/controller/merge.go`` and ``internal/webhooks``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.route_advertisements import is_generated
from ovnguard.validators.network.cluster_view import FRR_CONFIGURATION
from ovnguard.validators.network.frr.frr_evpn import merged_evpn
from ovnguard.validators.network.frr.frr_model import (
    BfdProfile,
    Evpn,
    Fault,
    FrrPart,
    Incoming,
    Neighbor,
    Outgoing,
    Router,
    Session,
)
from ovnguard.validators.network.frr.frr_parse import frr_part
from ovnguard.validators.network.frr.frr_secrets import agree, without_secrets
from ovnguard.validators.network.frr.frr_values import FrrError
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.selectors import Labels, labels_of, matches

_HOSTNAME: Final = "kubernetes.io/hostname"
# In the order of a session's fields.
_DISAGREEMENTS: Final = (
    "multiple asns",
    "multiple ports",
    "multiple source addresses",
    "multiple passwords",
    "multiple bfd profiles",
    "conflicting ebgp-multihop",
    "conflicting advertiseDualStack",
    "multiple hold times",
    "multiple keepalive times",
    "multiple connect times",
    "multiple localASNs",
)
_NOTHING: Final = Outgoing()
_UNFILTERED: Final = slice(0, Neighbor._fields.index("outgoing"))
_NO_PREFIX: Final = frozenset[Incoming]()
_BFD: Final = Session._fields.index("bfd_profile")
_PASSWORD: Final = Session._fields.index("password")


def merged(parts: Sequence[FrrPart]) -> tuple[Router, ...] | Fault:
    """Return the routers, by VRF, of a node that all ``parts`` select, or the first fault.

    When two objects contradict each other, the fault is in the one that is later in ``parts``.
    """
    routers: dict[str, _Merging] = {}
    profiles: dict[str, BfdProfile] = {}
    for part in parts:
        for profile in part.bfd_profiles:
            if profiles.setdefault(profile.name, profile) != profile:
                shown = part.origin.rpartition("/")[2]
                text = f"duplicate bfd profile name {profile.name} with different values for config {shown}"
                return Fault(part.origin, "spec.bgp.bfdProfiles", text)
        try:
            for router in part.routers:
                routers.setdefault(router.vrf, _Merging(router)).add(router)
        except FrrError as conflict:
            return Fault(part.origin, conflict.field, conflict.text)
        if part.fault is not None:
            return part.fault
    return tuple(routers[vrf].router() for vrf in sorted(routers))


def contradicted(parts: Sequence[FrrPart], fault: Fault) -> str:
    """Return the origin of the first of ``parts`` that contradicts the one with ``fault``.

    It is empty when only that part has the fault.
    """
    index, faulty = next((index, part) for index, part in enumerate(parts) if part.origin == fault.origin)
    if isinstance(merged([faulty]), Fault):
        return ""
    return next((part.origin for part in parts[:index] if isinstance(merged([part, faulty]), Fault)), "")


class _Merging:
    """The routers of one VRF, whose parts grow with each of them: a node may have as many routers as it has objects."""

    def __init__(self, first: Router) -> None:
        """Begin with the AS number, the VRF and the field of ``first``."""
        self._first = first
        self._id = ""
        self._prefixes: set[str] = set()
        self._imports: set[str] = set()
        self._neighbors: dict[str, Neighbor] = {}
        self._evpn: Evpn | None = None

    def add(self, router: Router) -> None:
        """Add a router. Raises FrrError where it contradicts those before, or itself."""
        own: dict[str, Neighbor] = {}
        _add(own, router.neighbors)
        vrf = self._first.vrf
        if self._first.asn != router.asn:
            text = f"different asns ({self._first.asn} != {router.asn}) specified for same vrf: {vrf}"
            raise FrrError(f"{router.field}.asn", text)
        if self._id and router.router_id and self._id != router.router_id:
            text = f"different router ids ({self._id} != {router.router_id}) specified for same vrf: {vrf}"
            raise FrrError(f"{router.field}.id", text)
        self._id = self._id or router.router_id
        self._prefixes |= router.prefixes
        self._imports |= router.imports
        _add(self._neighbors, (own[name] for name in sorted(own)))
        self._evpn = merged_evpn(router.field, vrf, self._evpn, router.evpn)

    def router(self) -> Router:
        """Return the router that all of them make."""
        return replace(
            self._first,
            router_id=self._id,
            prefixes=frozenset(self._prefixes),
            imports=frozenset(self._imports),
            neighbors=tuple(self._neighbors[name] for name in sorted(self._neighbors)),
            evpn=self._evpn,
        )


def _add(found: dict[str, Neighbor], neighbors: Iterable[Neighbor]) -> None:
    """Add neighbours by id, each once."""
    for neighbor in neighbors:
        known = found.get(neighbor.id)
        found[neighbor.id] = neighbor if known is None else _both(known, neighbor)


def _both(one: Neighbor, other: Neighbor) -> Neighbor:
    if one[_UNFILTERED] == other[_UNFILTERED]:
        # In a mesh, one object has the sessions, and another the same ones with filters.
        if other.outgoing == _NOTHING and other.incoming == _NO_PREFIX:
            return one
        if one.outgoing == _NOTHING and one.incoming == _NO_PREFIX:
            return other
    session = one.session
    if session != other.session:
        for index, (mine, its) in enumerate(zip(session, other.session, strict=True)):
            if mine != its and _disagree(index, mine, its):
                raise FrrError(other.field, f"{_DISAGREEMENTS[index]} specified for {one.id}")
        session = session._replace(bfd_profile=session.bfd_profile or other.session.bfd_profile)
    return one._replace(
        session=session,
        outgoing=_outgoing(one, other),
        incoming=_incoming(one.incoming, other.incoming),
        address_families=one.address_families | other.address_families,
        # frr-k8s keeps the value of the object that it meets first; this one does not depend on their order.
        graceful_restart=one.graceful_restart or other.graceful_restart,
    )


def _disagree(index: int, mine: Any, its: Any) -> bool:
    """Whether two different values of a session's field contradict each other."""
    if index == _PASSWORD:
        return not agree(mine, its)
    return index != _BFD or bool(mine and its)


def _outgoing(one: Neighbor, other: Neighbor) -> Outgoing:
    mine, its = one.outgoing, other.outgoing
    if _NOTHING in (mine, its) or mine == its:
        return its if mine == _NOTHING else mine
    lead = f"could not merge outgoing for neighbor {other.address} vrf {other.vrf}, err: "
    hops, preferences = dict(mine.next_hops), dict(mine.preferences)
    for version, hop in its.next_hops:
        if hops.setdefault(version, hop) != hop:
            text = f"{lead}multiple next hops ({hops[version]} != {hop}) specified"
            raise FrrError(f"{other.field}.toAdvertise.nextHop", text)
    for prefix, preference in its.preferences:
        if preferences.setdefault(prefix, preference) != preference:
            text = f"multiple local prefs ({preferences[prefix]} != {preference}) specified for prefix {prefix}"
            raise FrrError(f"{other.field}.toAdvertise.withLocalPref", lead + text)
    return Outgoing(
        prefixes=mine.prefixes | its.prefixes,
        preferences=tuple(sorted(preferences.items())),
        communities=mine.communities | its.communities,
        next_hops=tuple(sorted(hops.items())),
    )


def _incoming(one: frozenset[Incoming] | None, other: frozenset[Incoming] | None) -> frozenset[Incoming] | None:
    if one is None or other is None:
        return None
    return one | other if one and other else one or other


@dataclass(frozen=True, slots=True)
class FrrIndex:
    """All known FRRConfigurations, by the nodes they apply to: one host name, or any."""

    by_host: dict[str, list[FrrPart]]
    others: list[FrrPart]

    def on_node(self, labels: Labels) -> list[FrrPart]:
        """Return the objects that apply to a node, ordered by namespace and name, as in the API server's list."""
        near = [*self.by_host.get(labels.get(_HOSTNAME, ""), ()), *self.others]
        return sorted((part for part in near if matches(part.node_selector, labels)), key=lambda part: part.origin)

    def parts(self) -> list[FrrPart]:
        """Return all objects."""
        return [*self.others, *(part for parts in self.by_host.values() for part in parts)]


def frr_index(inventory: Inventory) -> FrrIndex:
    """Return the index of the known objects, which may be empty."""
    return inventory.derived(_index, FRR_CONFIGURATION)


def _without_copies(obj: JsonObject) -> JsonObject:
    """A generated object without its neighbours and prefixes.

    It copies the neighbours of another object of the node, so whatever contradicts the copy contradicts the original. A
    full mesh of 500 nodes has a quarter of a million of these copies.
    """
    listed = dig(obj, "spec", "bgp", "routers")
    routers = [
        {key: value for key, value in router.items() if key in ("asn", "id", "vrf")}
        for router in (listed if isinstance(listed, list) else ())
        if isinstance(router, dict)
    ]
    selector = dig(obj, "spec", "nodeSelector")
    return {**obj, "spec": {"nodeSelector": selector, "bgp": {"routers": routers}}}


def _index(inventory: Inventory) -> FrrIndex:
    found = FrrIndex({}, [])
    for obj in inventory.objects(FRR_CONFIGURATION) or ():
        part = frr_part(_without_copies(obj) if is_generated(labels_of(obj)) else without_secrets(obj))
        host = dig(part.node_selector, "matchLabels", _HOSTNAME)
        bucket = found.by_host.setdefault(host, []) if isinstance(host, str) else found.others
        bucket.append(part)
    return found
