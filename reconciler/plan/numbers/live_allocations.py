"""Allocations in live rows: numbers and choices of a network that no plan may change.

Networks whose objects record them do not need this. Manifests usually record nothing, so the rows of an earlier plan
are their record: a live network keeps its tunnel keys when other networks are added.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address, ip_network

from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.validators.network.addresses.addressing import (
    BASE_TUNNEL_KEY,
    MAX_NETWORK_ID,
    MAX_PORT_KEY,
    switch_tunnel_key,
)
from ovnguard.validators.network.model import NETWORK_ID_ANNOTATION, TRANSIT_ANNOTATION, IPAddress, IPNetwork, Network


@dataclass(frozen=True, slots=True)
class LivePort:
    """Addresses and key of a pod's port; ``key`` is None on a switch that ends at its node."""

    mac: str
    addresses: tuple[IPAddress, ...]
    key: int | None = None


@dataclass(frozen=True, slots=True)
class LiveAllocation:
    """Tunnel keys of the network's switch and transit router, and its transit subnets; empty without a row for them.

    ``number`` is the network id where a row records it, ``ports`` its pods' allocations, by the names of their ports.
    """

    switch_key: int | None = None
    router_key: int | None = None
    transit_subnets: tuple[IPNetwork, ...] = ()
    number: int | None = None
    ports: Mapping[str, LivePort] = field(default_factory=dict, hash=False)

    @property
    def network_id(self) -> int | None:
        """The id that a row records or that follows from the switch's key, or None."""
        if self.number is not None:
            return self.number if 1 <= self.number <= MAX_NETWORK_ID else None
        number = (self.switch_key or 0) - BASE_TUNNEL_KEY
        return number if 1 <= number <= MAX_NETWORK_ID else None

    @property
    def keys(self) -> tuple[int, ...]:
        """All keys in use."""
        return tuple(key for key in (self.switch_key, self.router_key) if key is not None)


def live_allocations(rows: Iterable[Row]) -> Mapping[str, LiveAllocation]:
    """Return the allocations in ``rows`` of one or several zones, by network name; the first value counts."""
    held: dict[str, LiveAllocation] = {}
    ports: dict[str, dict[str, LivePort]] = {}
    for row in rows:
        network = row.network
        known = held.get(network, LiveAllocation())
        names = Names(network)
        if not network:
            continue
        name = row.columns.get("name")
        if (row.table, name) in (
            ("Logical_Router", names.cluster_router),
            ("Logical_Switch", names.localnet_switch),
        ):
            number = _number(row.entry("external_ids", NETWORK_ID_ANNOTATION))
            held[network] = replace(known, number=known.number or number)
        elif row.table == "Logical_Switch" and name in (names.layer2_switch, names.transit_switch):
            key = _number(row.entry("other_config", "requested-tnl-key"))
            held[network] = replace(known, switch_key=known.switch_key or key)
        elif row.table == "Logical_Router" and name == names.transit_router:
            key = _number(row.entry("options", "requested-tnl-key"))
            subnets = known.transit_subnets or _subnets(row.entry("external_ids", TRANSIT_ANNOTATION))
            held[network] = replace(known, router_key=known.router_key or key, transit_subnets=subnets)
        elif row.table == "Logical_Switch_Port" and row.entry("external_ids", "pod") == "true":
            port = _port(row)
            if port is not None:
                ports.setdefault(network, {}).setdefault(str(name), port)
    return held | {name: replace(held.get(name, LiveAllocation()), ports=each) for name, each in ports.items()}


def with_numbers(network: Network, held: LiveAllocation | None) -> Network:
    """Return ``network`` with the live id and keys where its object records none."""
    if held is None or network.is_default or network.tunnel_keys:
        return network
    number = network.network_id if network.network_id is not None else held.network_id
    keys: tuple[int, ...] = ()
    if network.needs_transit_subnet and held.router_key is not None:
        switch = held.switch_key if number is None else switch_tunnel_key(number)
        keys = () if switch is None else (switch, held.router_key)
    return network._replace(network_id=number, tunnel_keys=keys)


def _port(row: Row) -> LivePort | None:
    """The allocation in a pod's port, or None when it cannot be read."""
    # the port of a virtual machine that runs in another pod has no addresses
    closed = row.columns.get("enabled") == (False,)
    texts = row.columns.get("port_security" if closed else "addresses")
    key = _number(row.entry("options", "requested-tnl-key"))
    if not isinstance(texts, tuple) or len(texts) != 1 or (key is not None and not 1 <= key <= MAX_PORT_KEY):
        return None
    mac, *addresses = str(texts[0]).split()
    try:
        return LivePort(mac, tuple(map(ip_address, addresses)), key)
    except ValueError:
        return None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(2**32)) else None


def _subnets(text: str) -> tuple[IPNetwork, ...]:
    """The subnets of a comma-separated list, none when it cannot be read."""
    try:
        return tuple(ip_network(part) for part in text.split(",", 2)[:2]) if text else ()
    except ValueError:
        return ()
