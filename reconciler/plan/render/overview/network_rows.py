"""The lanes of a network's picture, from the planned rows of each node."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from ipaddress import ip_interface
from typing import Final

from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.render.guesses import Guesses
from ovnguard.reconciler.plan.render.overview.model import BGP, ROUTER, SWITCH, Lane, Outside, Station, some
from ovnguard.reconciler.plan.rows.names import CONNECT, Names
from ovnguard.reconciler.plan.rows.row import OWNER_TYPE, Ref, Row

# What the subnet between router and gateway is for, by the beginning of the name of the router's port.
_BETWEEN: Final = (("rtoj-", "join"), ("trtor-", "transit"))


def network_lanes(
    network: str,
    zones: Sequence[tuple[str, Sequence[Row]]],
    guesses: Guesses,
    namespaces: Collection[str] = (),
    inserted: Collection[tuple[str, str]] = (),
) -> tuple[Lane, ...]:
    """Return the lane of each node with a switch or a router of the network.

    ``namespaces`` use the network, besides those of planned pods; ``inserted`` are the nodes and UUIDs of new rows.
    """
    found = [_NodeRows(network, node, rows) for node, rows in zones]
    # a gateway without tunnels leads to a fabric that routes
    routed = any(each.gateway for each in found) and not any(each.tunnels_at is not None for each in found)
    new = frozenset(inserted)
    return tuple(each.lane(namespaces, guesses, new, routed=routed) for each in found if any(each.owners))


class _NodeRows:
    """The rows of a network on a node, by what they are."""

    def __init__(self, network: str, node: str, rows: Sequence[Row]) -> None:
        self._names, self._node = Names(network), node
        self._by_uuid = {row.uuid: row for row in rows}
        self._switches = [row for row in rows if row.table == "Logical_Switch"]
        routers = [row for row in rows if row.table == "Logical_Router"]
        between = (self._names.join_switch, self._names.transit_switch)
        of_pods = (row for row in self._switches if _name(row) not in between and not _name(row).startswith("ext_"))
        self._switch = next(of_pods, None)
        self.gateway = next((row for row in routers if row.entry("options", "chassis")), None)
        self._router = next((row for row in routers if row is not self.gateway), None)
        self.owners = (self._switch, self._router, self.gateway)

    @property
    def tunnels_at(self) -> int | None:
        """The column of what goes on in other zones."""
        joined = [row for row in self._switches if row.entry("other_config", "interconn-ts")]
        return None if not joined else SWITCH if self._switch in joined else ROUTER

    def lane(
        self, namespaces: Collection[str], guesses: Guesses, new: Collection[tuple[str, str]], *, routed: bool
    ) -> Lane:
        """Return the node's lane. A gateway's physical network is the fabric of a ``routed`` network."""
        out = (*([BGP] if routed else []), *self._external(), some(self._vips(self.gateway), "VIP"))
        gateways = [f"gateway {ip}" for ip, _ in self._subnets]
        links = (self._subnet_texts(), (*gateways, some(self._vips(self._switch), "VIP")), tuple(self._between()), out)
        if self.gateway is None and self._router is None:
            # a switch alone leads to what is outside
            links = (links[0], tuple(self._vlans()), (), ())
        mark = partial(guesses.marked, network=self._names.network)
        stations = tuple(self._station(row, new) for row in self.owners)
        return Lane(
            self._node,
            (self._pods(namespaces, new), *stations),
            tuple(tuple(mark(printable(text)) for text in texts if text) for texts in links),
            tuple(dict.fromkeys(self._outside(routed=routed))),
            self.tunnels_at,
            self._vips(self.gateway),
        )

    def _station(self, row: Row | None, new: Collection[tuple[str, str]]) -> Station | None:
        if row is None:
            return None
        titles = {
            self._names.layer2_switch: "Layer2 switch",
            self._names.localnet_switch: "Localnet switch",
            self._names.transit_router: "Transit router",
            self._names.cluster_router: "Cluster router",
        }
        name = _name(row)
        other = "Gateway router" if row is self.gateway else "Router" if row is self._router else "Node switch"
        return Station(titles.get(name, other), printable(name), is_new=(self._node, row.uuid) in new)

    def _pods(self, namespaces: Collection[str], new: Collection[tuple[str, str]]) -> Station | None:
        """The pods of which rows are planned, and their namespaces."""
        pods = [row for row in self._ports_of(self._switch) if _is_local_pod(row)]
        spaces = sorted({*namespaces, *(row.entry("external_ids", "namespace") for row in pods)} - {""})
        is_new = any((self._node, row.uuid) in new for row in (*pods, *([self._switch] if self._switch else [])))
        return (
            Station(some(len(pods), "pod") or "Pods", "", tuple(map(printable, spaces)), is_new=is_new)
            if self._switch
            else None
        )

    @property
    def _subnets(self) -> list[tuple[str, str]]:
        """The router's address in each subnet of the switch, and the subnet."""
        if self._switch is None:
            return []
        known = {self._switch.entry("other_config", key) for key in ("subnet", "ipv6_prefix")}
        ports = [row for owner in (self._router, self.gateway) for row in self._ports_of(owner)]
        # a later subnet is only at the router of a Layer3 network
        layer3 = self._router is not None and _name(self._router) == self._names.cluster_router
        ours = {f"rtos-{_name(self._switch)}"} if layer3 else set()
        found = [(ip_interface(text), _name(row) in ours) for row in ports for text in row.texts("networks")]
        inside = (at for at, whole in found if whole or {str(at.network), str(at.network.network_address)} & known)
        return [(str(each.ip), str(each.network)) for each in sorted(inside, key=lambda each: each.version)]

    def _subnet_texts(self) -> tuple[str, ...]:
        if self._subnets or self._switch is None:
            return tuple(subnet for _, subnet in self._subnets)
        return tuple(filter(None, (self._switch.entry("other_config", key) for key in ("subnet", "ipv6_prefix"))))

    def _between(self) -> Iterator[str]:
        """The subnets between the router and the gateway."""
        for row in self._ports_of(self._router):
            words = [word for start, word in _BETWEEN if _name(row).startswith(start)]
            if words and not row.entry("options", "requested-chassis"):
                yield from (f"{words[0]} {ip_interface(text).network}" for text in row.texts("networks"))

    def _external(self) -> tuple[str, ...]:
        """The node's own addresses; those of one host are for translation."""
        ports = [row for row in self._ports_of(self.gateway) if _name(row).startswith("rtoe-")]
        found = [ip_interface(text) for row in ports for text in row.texts("networks")]
        return tuple(str(each) for each in found if each.network.prefixlen < each.max_prefixlen)

    def _vips(self, owner: Row | None) -> int:
        """The number of addresses of Services that a switch or router balances."""
        if owner is None:
            return 0
        groups = [owner, *self._refs(owner, "load_balancer_group")]
        balancers = [row for group in groups for row in self._refs(group, "load_balancer")]
        return len({(str(row.columns.get("protocol")), vip) for row in balancers for vip in _keys(row, "vips")})

    def _vlans(self) -> Iterator[str]:
        for row in self._ports_of(self._switch):
            yield from (f"VLAN {tag}" for tag in row.texts("tag_request"))

    def _outside(self, *, routed: bool) -> Iterator[Outside]:
        for row in (port for owner in (*self._switches, self._router) for port in self._ports_of(owner)):
            if row.columns.get("type") == "localnet":
                name = printable(row.entry("options", "network_name"))
                yield Outside("Routed fabric", "") if routed else Outside("Physical network", name)
            if row.entry("external_ids", OWNER_TYPE) == CONNECT:
                yield Outside("Connected networks", printable(row.entry("external_ids", "k8s.ovn.org/name")))

    def _ports_of(self, owner: Row | None) -> list[Row]:
        return [] if owner is None else sorted(self._refs(owner, "ports"), key=_name)

    def _refs(self, row: Row, column: str) -> list[Row]:
        refs = row.columns.get(column)
        found = (self._by_uuid.get(ref.uuid) for ref in refs if isinstance(ref, Ref)) if isinstance(refs, tuple) else ()
        return [each for each in found if each is not None]


def _name(row: Row) -> str:
    return str(row.columns.get("name", ""))


def _is_local_pod(port: Row) -> bool:
    return port.columns.get("type") == "" and bool(port.entry("external_ids", "pod"))


def _keys(row: Row, column: str) -> list[str]:
    value = row.columns.get(column)
    return list(value) if isinstance(value, Mapping) else []
