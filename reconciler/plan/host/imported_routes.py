"""BGP routes of the node's kernel, as inputs of the plan.

Source: enhancement "no-overlay mode", route import: routes of protocol bgp in the main table (default network) or in
the table of the network's VRF; a route without gateway is skipped, several next hops are several routes.
"""

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any

from ovnguard.reconciler.plan.host.ip_json import Listed, prefix_of
from ovnguard.reconciler.plan.host.items import MAIN_TABLE
from ovnguard.reconciler.plan.rows.settings import ImportedRoute


def imported(entries: Listed, version: int, node: str, networks: Mapping[int, str]) -> tuple[ImportedRoute, ...]:
    """Return the routes of ``ip -N route show table all proto bgp``; ``networks`` are networks by their tables.

    Tables of no network and routes without a next hop are skipped. Raises ValueError for any other listing.
    """
    found = []
    for each in entries:
        network = networks.get(int(each.get("table", MAIN_TABLE)))
        if network is None or "type" in each:
            continue
        prefix = prefix_of(each, version)
        hops = dict.fromkeys(_gateways(each))
        found += [ImportedRoute(network, node, prefix, ip_address(hop)) for hop in hops]
    return tuple(sorted(found, key=lambda each: (each.network, int(each.prefix[0]), each.prefix.prefixlen, str(each))))


def _gateways(entry: Mapping[str, Any]) -> Iterable[str]:
    for hop in (entry, *entry.get("nexthops", ())):
        other = hop.get("via", {})
        # an IPv4 route over an IPv6 neighbour has its own keyword, and OVN has no such routes
        if "gateway" in hop and not other:
            yield str(hop["gateway"])
