"""Rows that every topology makes in the same way: routes, policies, source NAT, and what a zone's routers share.

The identity of a route, policy or NAT is what OVN-Kubernetes looks it up by, so that a changed next hop or external
address updates the row instead of replacing it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reconciler.plan.names import COPP
from reconciler.plan.northbound import new_row, refs
from reconciler.plan.rows import NETWORK_KEY, Row
from validators.network.addressing import IPInterface
from validators.network.model import IPAddress, IPNetwork, Network

TOPOLOGY_KEY: Final = "k8s.ovn.org/topology"
ROLE_KEY: Final = "k8s.ovn.org/role"
NODE_KEY: Final = "k8s.ovn.org/node"

# Packets per second that ovn-controller takes of each protocol, per router. BFD is left out: no plan makes BFD rows.
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
    """Return the external_ids of everything that belongs to a network."""
    return {NETWORK_KEY: network.name, TOPOLOGY_KEY: str(network.topology)}


def role_ids(network: Network) -> dict[str, str]:
    """Return the external_ids of switches and gateway routers, which also tell the network's role."""
    return network_ids(network) | {ROLE_KEY: str(network.role)}


def match_name(version: int) -> str:
    """Return how match expressions call an IP family."""
    return "ip4" if version == 4 else "ip6"


@dataclass(frozen=True, slots=True)
class Owned:
    """Makes the rows of one router: ``router`` is its name, ``ids`` their external_ids."""

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

    def allow(self, priority: int, match: str) -> Row:
        """Return a policy that keeps packets from policies of lower priority."""
        return self._policy(priority, match, {"action": "allow"})

    def reroute(self, priority: int, match: str, nexthop: IPAddress) -> Row:
        """Return a policy that sends packets to another next hop."""
        return self._policy(priority, match, {"action": "reroute", "nexthops": (str(nexthop),)})

    def _policy(self, priority: int, match: str, action: Mapping[str, str | tuple[str, ...]]) -> Row:
        columns = {"priority": priority, "match": match, "external_ids": self.ids, **action}
        return new_row("Logical_Router_Policy", columns, f"{self.router} policy {priority} {match}")

    def snat(
        self, external: IPAddress, logical: IPNetwork | IPAddress, ports: str, *, port: str = "", match: str = ""
    ) -> Row:
        """Return source NAT of ``logical`` to ``external``; with ``port`` only on that distributed gateway port."""
        identity = [self.router, "snat", str(logical), port, match]
        columns = {
            "type": "snat",
            "external_ip": str(external),
            "logical_ip": str(logical),
            "logical_port": (port,) if port else (),
            "match": match,
            "external_port_range": ports,
            "options": {"stateless": "false"},
            "external_ids": self.ids,
        }
        return new_row("NAT", columns, " ".join(part for part in identity if part))


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
