"""One generated FRRConfiguration: what a RouteAdvertisements adds to another FRRConfiguration on one node.

Source: ovn-kubernetes ``pkg/clustermanager/routeadvertisements``, controller and raw configuration.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final, NamedTuple

from ovnguard.reconciler.plan.bgp.frr_documents import (
    HOSTNAME,
    advertising,
    encoded_neighbor,
    frr_configuration,
    origin_of,
    receiving,
)
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.route_advertisements import AUTO, GENERATED_LABEL, GENERATED_PREFIX
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.frr.frr_values import mappings, number
from ovnguard.validators.network.frr.refusals import dual_stack
from ovnguard.validators.network.model import IPAddress
from ovnguard.validators.network.parse_values import dig, mapping, text_of

DEFAULT_VRF: Final = "default"
"""The default VRF among imports, where it has a name."""
_RAW_PRIORITY: Final = 10
_BOTH: Final = (4, 6)


class Session(NamedTuple):
    """One neighbour of a source. ``address`` is None for an interface, whose session carries both IP versions."""

    name: str
    address: IPAddress | None
    versions: tuple[int, ...]
    document: JsonObject


class SourceRouter(NamedTuple):
    """One router of a source."""

    asn: int
    vrf: str
    document: Mapping[str, Any]
    imports: tuple[str, ...]
    sessions: tuple[Session, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """An FRRConfiguration that a RouteAdvertisements uses, read once for all nodes.

    ``fault`` is the reason why it cannot be used, in OVN-Kubernetes' words.
    """

    document: JsonObject = field(hash=False)
    routers: tuple[SourceRouter, ...] = field(hash=False)
    fault: str = ""

    @property
    def name(self) -> str:
        """The name of the object."""
        return ref_of(self.document).name


class Advertised(NamedTuple):
    """What a RouteAdvertisements advertises on one node.

    ``by_vrf`` are the prefixes of each selected network by its VRF, ``prefixes`` all of them; both sorted. ``received``
    are the subnets of selected networks without an overlay, with the prefix length of the nodes' shares.
    """

    by_vrf: Mapping[str, tuple[str, ...]]
    prefixes: tuple[str, ...]
    received: tuple[tuple[str, int], ...]


def source_of(obj: JsonObject) -> Source:
    """Read an FRRConfiguration."""
    listed = [router for _, router in mappings(dig(obj, "spec", "bgp", "routers"))]
    sessions = [[_session(each) for _, each in mappings(router.get("neighbors"))] for router in listed]
    routers = tuple(
        SourceRouter(
            asn=number(router.get("asn")) or 0,
            vrf=text_of(router.get("vrf")),
            document={key: router[key] for key in ("asn", "id", "vrf") if router.get(key)},
            imports=tuple(text_of(each.get("vrf")) for _, each in mappings(router.get("imports"))),
            sessions=tuple(found),
        )
        for router, found in zip(listed, sessions, strict=True)
    )
    return Source(obj, routers, next(_faults(obj, routers), ""))


def _faults(obj: JsonObject, routers: Sequence[SourceRouter]) -> Iterator[str]:
    for session in (each for router in routers for each in router.sessions):
        if not session.name:
            yield f"neighbor with neither address nor interface on FRRConfiguration {origin_of(obj)}"
        if session.document.get("dualStackAddressFamily") is True:
            yield dual_stack(origin_of(obj), session.name)


def _session(value: Mapping[str, Any]) -> Session:
    text = text_of(value.get("address"))
    try:
        address = ip_address(text) if text else None
    except ValueError:
        address = None
    # an address that cannot be read is taken for IPv4 upstream
    versions = _BOTH if not text else (6,) if address is not None and address.version == 6 else (4,)
    return Session(text or text_of(value.get("interface")), address, versions, encoded_neighbor(value))


@dataclass(frozen=True, slots=True)
class Generator:
    """Generates the FRRConfigurations of one RouteAdvertisements: ``vrfs`` are those of the selected networks, sorted,
    with ``default`` for the default one.
    """

    advertisement: str
    target_vrf: str
    vrfs: tuple[str, ...]

    def generate(
        self, source: Source, node: Node, advertised: Advertised, router_id: str = ""
    ) -> tuple[JsonObject | None, frozenset[str]]:
        """Return what ``source`` becomes on ``node``, None without a router for it, and the matched VRFs.

        ``router_id`` is for routers without one.
        """
        routers: list[JsonObject] = []
        raw: dict[str, tuple[int, list[Session]]] = {}
        matched: set[str] = set()
        for router in source.routers:
            prefixes = self._prefixes(router.vrf, advertised)
            if not prefixes:
                continue
            matched.add(router.vrf or DEFAULT_VRF)
            sessions, neighbors = _neighbors(router, node, prefixes, advertised)
            if not neighbors:
                continue
            raw[router.vrf] = (router.asn, sessions)
            identified = {"id": router_id} if router_id and not router.document.get("id") else {}
            made: JsonObject = {**router.document, **identified, "neighbors": neighbors, "prefixes": list(prefixes)}
            routers += self._with_imports(made, router.imports)
        if not routers:
            return None, frozenset(matched)
        return self._document(source, node, routers, _raw(raw)), frozenset(matched)

    def _prefixes(self, vrf: str, advertised: Advertised) -> tuple[str, ...]:
        """The prefixes for a router in this VRF; none when it is not the target's."""
        if self.target_vrf == AUTO:
            return advertised.by_vrf.get(vrf or DEFAULT_VRF, ()) if vrf != DEFAULT_VRF else ()
        return advertised.prefixes if vrf == self.target_vrf else ()

    def _with_imports(self, router: JsonObject, imports: Sequence[str]) -> Iterator[JsonObject]:
        """The router, and one for each VRF that exchanges routes with it."""
        own = router.get("vrf") or DEFAULT_VRF
        others = [vrf for vrf in self.vrfs if vrf != own] if self.target_vrf != AUTO else []
        listed = [{"vrf": vrf} for vrf in (*imports, *others)]
        yield {**router, "imports": listed} if listed else router
        kept: JsonObject = {key: router[key] for key in ("asn", "id") if key in router}
        for vrf in others:
            yield {**kept, "imports": [{"vrf": own}], **({} if vrf == DEFAULT_VRF else {"vrf": vrf})}

    def _document(self, source: Source, node: Node, routers: list[JsonObject], raw: str) -> JsonObject:
        """Upstream lets the API server generate the name; in a plan, it follows from the identity."""
        identity = f"{self.advertisement}/{source.name}/{node.name}"
        metadata = {
            "name": f"{GENERATED_PREFIX}{hashlib.sha256(identity.encode()).hexdigest()[:10]}",
            "namespace": ref_of(source.document).namespace,
            "labels": {GENERATED_LABEL: self.advertisement},
            "annotations": {GENERATED_LABEL: identity},
        }
        spec = {
            **mapping(source.document, "spec"),
            "bgp": {**mapping(source.document, "spec", "bgp"), "routers": routers},
            "nodeSelector": {"matchLabels": {HOSTNAME: node.name}},
            "raw": {"priority": _RAW_PRIORITY, "rawConfig": raw},
        }
        return frr_configuration(metadata, spec)


def _neighbors(
    router: SourceRouter, node: Node, prefixes: Sequence[str], advertised: Advertised
) -> tuple[list[Session], list[JsonObject]]:
    """The sessions that carry a prefix; never one of the node with itself."""
    own = node.own_addresses
    kinds: tuple[tuple[int, ...], ...] = ((4,), (6,), _BOTH)
    filters = {versions: _filters(versions, prefixes, advertised) for versions in kinds}
    sessions: list[Session] = []
    neighbors: list[JsonObject] = []
    for session in router.sessions:
        found = filters[session.versions]
        if found and session.address not in own:
            sessions.append(session)
            neighbors.append({**session.document, **found})
    return sessions, neighbors


def _filters(versions: tuple[int, ...], prefixes: Sequence[str], advertised: Advertised) -> JsonObject:
    sent = [prefix for prefix in prefixes if _version(prefix) in versions]
    if not sent:
        return {}
    received = [each for each in advertised.received if _version(each[0]) in versions]
    return {"toAdvertise": advertising(sent), **({"toReceive": receiving(received)} if received else {})}


def _raw(by_vrf: Mapping[str, tuple[int, Iterable[Session]]]) -> str:
    """Neighbours with the same AS number may send back what this AS originates; iBGP sessions ignore the option."""
    text = []
    for vrf in sorted(by_vrf):
        asn, found = by_vrf[vrf]
        sessions = sorted(found, key=lambda each: each.name)
        text.append(f"router bgp {asn}{f' vrf {vrf}' if vrf else ''}\n")
        for version in _BOTH:
            lines = [f"  neighbor {each.name} allowas-in origin\n" for each in sessions if version in each.versions]
            if lines:
                text += [f" address-family ipv{version} unicast\n", *lines, " exit-address-family\n"]
        text.append("exit\n!\n")
    return "".join(text)


def _version(prefix: str) -> int:
    return 6 if ":" in prefix else 4
