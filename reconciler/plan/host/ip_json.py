"""Parses the output of `ip -N -j` and `ovs-vsctl --format=json` into ovnguard's items, each with its network.

Every function takes decoded JSON from a program of the node. It raises ValueError for an unexpected shape; the caller
adds the name of the program.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface, ip_network
from types import MappingProxyType
from typing import Any, Final

from ovnguard.reconciler.plan.host.command_lines import ALIAS
from ovnguard.reconciler.plan.host.items import (
    ADDRESS_METRIC,
    MAIN_TABLE,
    PROTOCOL,
    Address,
    Link,
    Neighbour,
    Port,
    Route,
    Rule,
    Vrf,
)
from ovnguard.reconciler.plan.host.user_network import PORT_PREFIX, TABLE_BASE
from ovnguard.reconciler.plan.rows.row import UPSTREAM_NETWORK_KEY
from ovnguard.validators.network.addresses.addressing import MAX_NETWORK_ID
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, IPNetwork

Listed = Sequence[Mapping[str, Any]]
_UNREACHABLE: Final = ("7", "unreachable")
_ANY: Final = MappingProxyType({4: "0.0.0.0/0", 6: "::/0"})


@dataclass(frozen=True, slots=True)
class Owned:
    """The data that identify an item's network: names of ovnguard's ports, VRF tables and masquerade subnets."""

    ports: Mapping[str, str]
    tables: Mapping[int, str]
    masquerades: tuple[IPNetwork, ...]

    def network(self, device: str, table: int = MAIN_TABLE) -> str:
        """The network of ``device`` or ``table``; the default network when neither identifies one."""
        if table in self.tables:
            return self.tables[table]
        if TABLE_BASE < table <= TABLE_BASE + MAX_NETWORK_ID:
            return ""
        return self.ports.get(device, DEFAULT_NETWORK)

    def is_masquerade(self, address: IPAddress) -> bool:
        """Whether an address is ovnguard's on any device."""
        return any(address in subnet for subnet in self.masquerades if subnet.version == address.version)


def listed(value: object) -> Listed:
    """Return the objects of a listing; raise ValueError for any other value."""
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise ValueError("not a list of objects")
    # ip prints an empty object for a filtered-out item
    return [each for each in value if each]


def ports(value: object) -> tuple[Port, ...]:
    """Return ovnguard's ports from ``ovs-vsctl --format=json --columns=name,mac,mtu_request,external_ids find``."""
    if not isinstance(value, Mapping) or not isinstance(value.get("headings"), list):
        raise ValueError("not a table of ovs-vsctl")
    rows = [dict(zip(value["headings"], row, strict=True)) for row in value.get("data", ())]
    found = []
    for row in rows:
        ids = {str(key): str(text) for key, text in row["external_ids"][1]}
        mtu = row["mtu_request"]
        found.append(
            Port(
                str(row["name"]),
                ids.get("iface-id", ""),
                # an empty set means no value
                row["mac"] if isinstance(row["mac"], str) else "",
                mtu if isinstance(mtu, int) else 0,
                ids.get(UPSTREAM_NETWORK_KEY, ""),
            )
        )
    return tuple(found)


def vrfs(links: Listed) -> tuple[Vrf, ...]:
    """Return ovnguard's VRFs from ``ip -d link show``."""
    found = []
    for each in links:
        alias, info = str(each.get("ifalias", "")), each.get("linkinfo", {})
        if alias.startswith(ALIAS) and info.get("info_kind") == "vrf":
            table = int(info.get("info_data", {}).get("table", 0))
            found.append(Vrf(str(each["ifname"]), table, alias.removeprefix(ALIAS)))
    return tuple(found)


def port_links(links: Listed, owned: Owned) -> tuple[Link, ...]:
    """Return the kernel's side of ovnguard's ports from ``ip -d link show``."""
    return tuple(
        Link(name, str(each.get("master", "")), "UP" in each.get("flags", ()), owned.ports[name])
        for each in links
        if (name := str(each.get("ifname"))) in owned.ports
    )


def addresses(links: Listed, owned: Owned) -> tuple[Address, ...]:
    """Return addresses of ovnguard's ports, and on any device those with ovnguard's metric and masquerade addresses.

    ``links`` is the output of ``ip address show``.
    """
    found = []
    for each in links:
        device = str(each.get("ifname"))
        for info in each.get("addr_info", ()):
            own = ip_interface(f"{info['local']}/{info['prefixlen']}")
            if own.is_link_local and not owned.is_masquerade(own.ip):
                continue
            marked = info.get("metric") == ADDRESS_METRIC
            if device in owned.ports or owned.is_masquerade(own.ip) or marked:
                bare, deprecated = bool(info.get("noprefixroute")), bool(info.get("deprecated"))
                found.append(Address(device, own, bare, deprecated, marked, owned.network(device)))
    return tuple(found)


def neighbours(entries: Listed, owned: Owned) -> tuple[Neighbour, ...]:
    """Return permanent entries of ovnguard's ports, and of masquerade addresses on any device, from ``ip neighbour
    show``.
    """
    found = []
    for each in entries:
        device, address = str(each["dev"]), ip_address(each["dst"])
        if device in owned.ports or owned.is_masquerade(address):
            found.append(Neighbour(device, address, str(each.get("lladdr", "")), owned.network(device)))
    return tuple(found)


def routes(entries: Listed, version: int, owned: Owned) -> tuple[Route, ...]:
    """Return routes from ``ip -N route show table all proto 118``, which are all ovnguard's."""
    found = []
    for each in entries:
        table, lost = int(each.get("table", MAIN_TABLE)), str(each.get("type")) in _UNREACHABLE
        device = "" if lost else str(each.get("dev", ""))
        via, source = each.get("gateway"), each.get("prefsrc")
        found.append(
            Route(
                table,
                prefix_of(each, version),
                device,
                None if via is None else ip_address(via),
                sum(int(metric.get("mtu", 0)) for metric in each.get("metrics", ())),
                int(each.get("metric", 0)),
                None if source is None else ip_address(source),
                owned.network(device, table),
            )
        )
    return tuple(found)


def rules(entries: Listed, version: int, owned: Owned) -> tuple[Rule, ...]:
    """Return rules with ovnguard's protocol from ``ip -N rule show``."""
    found = []
    for each in entries:
        if str(each.get("protocol")) != str(PROTOCOL):
            continue
        target = each.get("dst")
        length = each.get("dstlen", 32 if version == 4 else 128)
        table = int(each.get("table", 0))
        found.append(
            Rule(
                int(each["priority"]),
                version,
                table,
                None if target is None else ip_network(f"{target}/{length}"),
                str(each.get("iif", "")),
                int(str(each.get("fwmark", "0")), 0),
                owned.network("", table),
            )
        )
    return tuple(found)


def prefix_of(entry: Mapping[str, Any], version: int) -> IPNetwork:
    """Return a route's destination."""
    return ip_network(_ANY[version] if entry["dst"] == "default" else str(entry["dst"]))


def owned_by(our_ports: Iterable[Port], our_vrfs: Iterable[Vrf], masquerades: tuple[IPNetwork, ...]) -> Owned:
    """Return how ports and VRFs identify networks."""
    by_name = {each.name: each.network for each in our_ports}
    tables = {each.table: each.network for each in our_vrfs}
    for name, network in by_name.items():
        # a port's name ends with the network's id, which also determines its table's number
        digits = name.removeprefix(PORT_PREFIX)
        if digits.isascii() and digits.isdecimal() and int(digits):
            tables.setdefault(TABLE_BASE + int(digits), network)
    return Owned(by_name, tables, masquerades)
