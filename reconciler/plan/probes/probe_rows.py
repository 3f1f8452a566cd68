"""A zone's planned rows for probes: connected rows, and the port that reaches a next hop."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_interface

from ovnguard.reconciler.plan.rows.row import Column, Ref, Row
from ovnguard.validators.network.addresses.addressing import IPInterface
from ovnguard.validators.network.model import IPAddress


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A port of a switch with its addresses; ``remote`` when it is bound to another node's chassis."""

    switch: str
    port: str
    mac: str
    addresses: tuple[IPAddress, ...]
    remote: bool = False

    def of_family(self, version: int) -> IPAddress | None:
        """Its address of an IP version, or None."""
        return next((each for each in self.addresses if each.version == version), None)


def endpoint(switch: str, columns: Mapping[str, Column]) -> Endpoint | None:
    """Return the endpoint of a Logical_Switch_Port, None for router and localnet ports, and for unknown addresses."""
    kind, addresses = columns.get("type"), columns.get("addresses")
    if kind not in ("", "remote") or not isinstance(addresses, tuple) or not addresses:
        return None
    mac, *rest = str(addresses[0]).split()
    try:
        # ports of other zones' routers have addresses with prefix lengths
        found = tuple(ip_interface(each).ip for each in rest)
    except ValueError:
        return None
    return Endpoint(switch, str(columns["name"]), mac, found, kind == "remote") if found and ":" in mac else None


class ZoneRows:
    """The rows of one zone by UUID, by name and by network."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = {row.uuid: row for row in rows}
        self._named: dict[tuple[str, str], Row] = {}
        self._kinds: dict[tuple[str, str], list[Row]] = {}
        for row in self._rows.values():
            self._named[row.table, str(row.columns.get("name"))] = row
            self._kinds.setdefault((row.table, row.network), []).append(row)

    def switches(self) -> Iterator[Row]:
        """All switches; those of pods have endpoints."""
        return (row for row in self._rows.values() if row.table == "Logical_Switch")

    def ports(self, switch: Row) -> list[Row]:
        """The ports of a switch."""
        value = switch.columns.get("ports")
        found = [item for item in value if isinstance(item, Ref)] if isinstance(value, tuple) else []
        return [self._rows[ref.uuid] for ref in found if ref.uuid in self._rows]

    def members(self, group: str) -> frozenset[str]:
        """The UUIDs of the ports in a port group; none without the group."""
        row = self._named.get(("Port_Group", group))
        value = row.columns.get("ports") if row is not None else ()
        return (
            frozenset(item.uuid for item in value if isinstance(item, Ref)) if isinstance(value, tuple) else frozenset()
        )

    def gateways(self, switch: Row) -> Iterator[tuple[IPInterface, str]]:
        """Addresses of the router ports on a switch, in order, each with its MAC."""
        found = []
        for port in self.ports(switch):
            router = self._named.get(("Logical_Router_Port", port.entry("options", "router-port")))
            if router is not None:
                found += [(ip_interface(text), str(router.columns["mac"])) for text in router.texts("networks")]
        yield from sorted(found, key=lambda each: str(each[0]))

    def of_network(self, network: str, table: str) -> list[Row]:
        """A network's rows of one table."""
        return self._kinds.get((table, network), [])

    def bridges(self, network: str) -> tuple[str, ...]:
        """Ports through which packets of a network leave to the node's bridge, or to a physical network."""
        ports = self.of_network(network, "Logical_Switch_Port")
        return tuple(sorted(str(port.columns["name"]) for port in ports if port.columns["type"] == "localnet"))

    def towards(self, network: str, hop: IPAddress) -> tuple[str, ...]:
        """Ports through which packets with this next hop leave the zone.

        For another node's router that is a remote port, for the node itself its own port; an address of a router of
        this node, or one next to it, leads to the node's bridge. Empty when no row has the address.
        """
        for port in self.of_network(network, "Logical_Switch_Port"):
            found = endpoint("", port.columns)
            if found is not None and hop in found.addresses:
                return (found.port,)
        adjacent = False
        for port in self.of_network(network, "Logical_Router_Port"):
            nets = [ip_interface(text) for text in port.texts("networks")]
            near = any(hop in each.network for each in nets)
            if port.entry("options", "requested-chassis") and near:
                return (str(port.columns["name"]),)
            if any(hop == each.ip for each in nets):
                return self.bridges(network)
            adjacent |= near
        return self.bridges(network) if adjacent else ()
