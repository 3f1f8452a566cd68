"""Rows that all topologies share: routes, policies, source NAT, and rows common to a zone's routers.

The identity of a route, policy or NAT is OVN-Kubernetes' look-up key, so a changed next hop or external address updates
the row instead of replacing it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

from ovnguard.reconciler.plan.rows.names import COPP, Names
from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import KIND_KEY, NETWORK_KEY, UPSTREAM_NETWORK_KEY, Column, Row
from ovnguard.validators.network.addresses.addressing import IPInterface
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network

_Ids: TypeAlias = Mapping[str, str] | None

TOPOLOGY_KEY: Final = "k8s.ovn.org/topology"
ROLE_KEY: Final = "k8s.ovn.org/role"
NODE_KEY: Final = "k8s.ovn.org/node"
# "local" or "remote": where the virtual machine that a row is for runs, seen from the zone
ZONE_KEY: Final = "k8s.ovn.org/zone"

# Packets per second of each protocol that ovn-controller accepts per router.
_RATE: Final = 25
ACL_METER: Final = "acl-logging"
_PROTOCOLS: Final = (
    "arp",
    "arp-resolve",
    "bfd",
    "event-elb",
    "icmp4-error",
    "icmp6-error",
    "reject",
    "svc-monitor",
    "tcp-reset",
)


def owner_ids(network: Network) -> dict[str, str]:
    """Return the external_ids of all rows of a network, also of those that OVN-Kubernetes does not label.

    An attachment may give its network a name like those that OVN-Kubernetes derives for other kinds, with '_'.
    """
    is_attached = network.source.kind == NAD.kind and "_" in network.name
    return {NETWORK_KEY: network.name} | ({KIND_KEY: NAD.kind} if is_attached else {})


def network_ids(network: Network) -> dict[str, str]:
    """Return the external_ids of rows that OVN-Kubernetes labels, which it does not on the default network."""
    upstream = {} if network.is_default else {UPSTREAM_NETWORK_KEY: network.name, TOPOLOGY_KEY: str(network.topology)}
    return owner_ids(network) | upstream


def role_ids(network: Network) -> dict[str, str]:
    """Return the external_ids of switches and gateway routers, whose labels also contain the network's role."""
    return network_ids(network) | ({} if network.is_default else {ROLE_KEY: str(network.role)})


def load_balancer_groups(names: Names) -> tuple[Row, Row, Row]:
    """Return groups of load balancers for all, for switches and for routers only; services fill the first."""
    every = (names.load_balancer_group, names.switch_load_balancer_group, names.router_load_balancer_group)
    first, second, third = (new_row("Load_Balancer_Group", {"name": name}) for name in every)
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
    """Creates the rows of one router: ``router`` is its name, ``ids`` their external_ids.

    Not every row has OVN-Kubernetes' labels of the network: with ``labelled`` False, only ovnguard's own remain.
    """

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
        labelled: bool = True,
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
            "external_ids": self._ids(extra, labelled),
        }
        return new_row("Logical_Router_Static_Route", columns, " ".join(part for part in identity if part))

    def allow(
        self, priority: int, match: str, *, mark: int | None = None, extra: _Ids = None, labelled: bool = True
    ) -> Row:
        """Return a policy that exempts packets from policies of lower priority, and with ``mark`` marks them."""
        ids = self._ids(extra, labelled)
        return self._policy(priority, match, {"action": "allow", "options": _mark_option(mark)}, ids)

    def reroute(
        self,
        priority: int,
        match: str,
        *nexthops: IPAddress,
        mark: int | None = None,
        extra: _Ids = None,
        labelled: bool = True,
    ) -> Row:
        """Return a policy that sends packets to another next hop; of several, each connection uses one."""
        hops = sorted_set(*map(str, nexthops))
        action: dict[str, Column] = {"action": "reroute", "nexthops": hops, "options": _mark_option(mark)}
        return self._policy(priority, match, action, self._ids(extra, labelled))

    def _policy(self, priority: int, match: str, action: Mapping[str, Column], ids: Mapping[str, str]) -> Row:
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

    def _ids(self, extra: _Ids, labelled: bool) -> dict[str, str]:
        own = self.ids if labelled else {NETWORK_KEY: self.ids[NETWORK_KEY]}
        return {**own, **(extra or {})}


def _mark_option(mark: int | None) -> dict[str, str]:
    return {} if mark is None else {"pkt_mark": str(mark)}


def sorted_set(*values: IPInterface | str) -> tuple[str, ...]:
    """Return a set column of texts."""
    return tuple(sorted(str(value) for value in values))


def protection_rows(log_rate: int) -> tuple[Row, ...]:
    """Return the meters of a zone and control plane protection for all its routers; the last row is the Copp row.

    ``log_rate`` are the packets per second that one ACL logs. Meters with the same rate share its band.
    """
    band, log_band = _band(_RATE), _band(log_rate)
    names = {protocol: f"{protocol}-rate-limiter" for protocol in _PROTOCOLS}
    meters = tuple(_meter(name, band) for name in names.values())
    log = _meter(ACL_METER, log_band)
    bands = {each.uuid: each for each in (band, log_band)}
    return (*bands.values(), log, *meters, new_row("Copp", {"name": COPP, "meters": names}))


def _band(rate: int) -> Row:
    return new_row("Meter_Band", {"action": "drop", "rate": rate}, f"{rate} packets per second")


def _meter(name: str, band: Row) -> Row:
    return new_row("Meter", {"name": name, "unit": "pktps", "fair": (True,), "bands": refs([band])})
