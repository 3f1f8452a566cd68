"""Rows that all topologies share: routes, policies, source NAT, and rows common to a zone's routers.

The identity of a route, policy or NAT is OVN-Kubernetes' look-up key, so a changed next hop or external address updates
the row instead of replacing it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

from reconciler.plan.names import COPP, Names
from reconciler.plan.northbound import new_row, refs
from reconciler.plan.rows import NETWORK_KEY, Column, Row
from validators.network.addresses.addressing import IPInterface
from validators.network.model import IPAddress, IPNetwork, Network

_Ids: TypeAlias = Mapping[str, str] | None

TOPOLOGY_KEY: Final = "k8s.ovn.org/topology"
ROLE_KEY: Final = "k8s.ovn.org/role"
NODE_KEY: Final = "k8s.ovn.org/node"
# "local" or "remote": where the virtual machine that a row is for runs, seen from the zone
ZONE_KEY: Final = "k8s.ovn.org/zone"

# Packets per second of each protocol that ovn-controller accepts per router. BFD is absent, because no plan has BFD
# rows.
_RATE: Final = 25
_PROTOCOLS: Final = (
    "arp",
    "arp-resolve",
    "event-elb",
    "icmp4-error",
    "icmp6-error",
    "reject",
    "svc-monitor",
    "tcp-reset",
)


def network_ids(network: Network) -> dict[str, str]:
    """Return the external_ids of all rows of a network."""
    return {NETWORK_KEY: network.name, TOPOLOGY_KEY: str(network.topology)}


def role_ids(network: Network) -> dict[str, str]:
    """Return the external_ids of switches and gateway routers, which also contain the network's role."""
    return network_ids(network) | {ROLE_KEY: str(network.role)}


def load_balancer_groups(
    names: Names, everywhere: Iterable[Row] = (), on_switches: Iterable[Row] = (), on_routers: Iterable[Row] = ()
) -> tuple[Row, Row, Row]:
    """Return groups of load balancers for all, for switches and for routers only; service controllers fill them."""
    members = (
        (names.load_balancer_group, everywhere),
        (names.switch_load_balancer_group, on_switches),
        (names.router_load_balancer_group, on_routers),
    )
    first, second, third = (
        new_row("Load_Balancer_Group", {"name": name, "load_balancer": refs(rows)}) for name, rows in members
    )
    return first, second, third


def match_name(version: int) -> str:
    """Return the name of an IP family in match expressions."""
    return "ip4" if version == 4 else "ip6"


@dataclass(frozen=True, slots=True)
class Scope:
    """The destinations of a source NAT: those in ``allowed``, or all except those in ``exempted``.

    Both hold at most one Address_Set row, and OVN accepts only one of the two. ``ids`` are further external_ids.
    """

    allowed: tuple[Row, ...] = ()
    exempted: tuple[Row, ...] = ()
    ids: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    @property
    def identity(self) -> list[str]:
        """The identity that distinguishes a NAT with this scope from one with the same address and no scope."""
        found = [("to", each) for each in self.allowed] + [("not to", each) for each in self.exempted]
        return [f"{word} {row.columns['name']}" for word, row in found]


@dataclass(frozen=True, slots=True)
class Owned:
    """Creates the rows of one router: ``router`` is its name, ``ids`` their external_ids."""

    router: str
    ids: Mapping[str, str]

    def route(
        self,
        target: IPNetwork | IPAddress,
        nexthop: IPAddress,
        *,
        policy: str = "",
        port: str = "",
        extra: Mapping[str, str] | None = None,
        each_hop: bool = False,
    ) -> Row:
        """Return a static route; an address as ``target`` is a host route, written without a length.

        ``each_hop`` makes the next hop part of the identity: several rows then share the traffic.
        """
        prefix = str(target)
        identity = [self.router, "route", prefix, policy or "dst-ip", port, *([str(nexthop)] if each_hop else [])]
        columns = {
            "ip_prefix": prefix,
            "nexthop": str(nexthop),
            "policy": (policy,) if policy else (),
            "output_port": (port,) if port else (),
            "external_ids": {**self.ids, **(extra or {})},
        }
        return new_row("Logical_Router_Static_Route", columns, " ".join(part for part in identity if part))

    def allow(self, priority: int, match: str, *, mark: int | None = None, extra: _Ids = None) -> Row:
        """Return a policy that exempts packets from policies of lower priority, and with ``mark`` marks them."""
        return self._policy(priority, match, {"action": "allow", "options": _mark_option(mark)}, extra)

    def reroute(
        self, priority: int, match: str, *nexthops: IPAddress, mark: int | None = None, extra: _Ids = None
    ) -> Row:
        """Return a policy that sends packets to another next hop; of several, each connection uses one."""
        hops = sorted_set(*map(str, nexthops))
        action: dict[str, Column] = {"action": "reroute", "nexthops": hops, "options": _mark_option(mark)}
        return self._policy(priority, match, action, extra)

    def _policy(self, priority: int, match: str, action: Mapping[str, Column], extra: _Ids) -> Row:
        ids = {**self.ids, **(extra or {})}
        columns: dict[str, Column] = {"priority": priority, "match": match, "external_ids": ids, **action}
        return new_row("Logical_Router_Policy", columns, f"{self.router} policy {priority} {match}")

    def snat(
        self,
        external: IPAddress,
        logical: IPNetwork | IPAddress,
        ports: str,
        *,
        port: str = "",
        match: str = "",
        scope: Scope = Scope(),
    ) -> Row:
        """Return source NAT of ``logical`` to ``external``; with ``port`` only on that distributed gateway port."""
        identity = [self.router, "snat", str(logical), port, match, *scope.identity]
        columns = {
            "type": "snat",
            "external_ip": str(external),
            "logical_ip": str(logical),
            "logical_port": (port,) if port else (),
            "match": match,
            "external_port_range": ports,
            "allowed_ext_ips": refs(scope.allowed),
            "exempted_ext_ips": refs(scope.exempted),
            "options": {"stateless": "false"},
            "external_ids": {**self.ids, **scope.ids},
        }
        return new_row("NAT", columns, " ".join(part for part in identity if part))


def _mark_option(mark: int | None) -> dict[str, str]:
    return {} if mark is None else {"pkt_mark": str(mark)}


def sorted_set(*values: IPInterface | str) -> tuple[str, ...]:
    """Return a set column of texts."""
    return tuple(sorted(str(value) for value in values))


def protection_rows() -> tuple[Row, ...]:
    """Return control plane protection for all routers of a zone; the last row is the Copp row itself."""
    band = new_row("Meter_Band", {"action": "drop", "rate": _RATE}, f"{_RATE} packets per second")
    meters = tuple(
        new_row(
            "Meter",
            {"name": f"{protocol}-rate-limiter", "unit": "pktps", "fair": (True,), "bands": refs([band])},
        )
        for protocol in _PROTOCOLS
    )
    names = {protocol: f"{protocol}-rate-limiter" for protocol in _PROTOCOLS}
    return (band, *meters, new_row("Copp", {"name": COPP, "meters": names}))
