"""ClusterNetworkConnects, as inputs of a plan: what OVN-Kubernetes' cluster manager allocated for them.

The annotations are untrusted input. What is not recorded connects nothing, and what cannot be read is reported. The
record names networks by topology and id, ``{"layer3_1": {"ipv4": SUBNET, "ipv6": SUBNET}, "layer2_2": {...}}``.

Source: k8s.ovn.org/v1 ClusterNetworkConnect; OKEP-5224; ovn-kubernetes ``pkg/util/network_connect_annotation.go`` and
``pkg/ovn/controller/networkconnect``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_interface
from typing import Final

from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation
from ovnguard.reconciler.plan.rows.model import ConnectedNetwork, Connection, Remark
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import MAX_NETWORK_ID, MAX_TUNNEL_KEY
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory, inventory_of
from ovnguard.validators.network.cluster.network_index import census
from ovnguard.validators.network.cluster_view import CLUSTER_NETWORK_CONNECT, ClusterView
from ovnguard.validators.network.declared.node_values import BadValueError
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import IPNetwork, Network, Role, Topology
from ovnguard.validators.network.parse_values import PREFIXED, decimal, dig, text_of

SUBNETS: Final = "k8s.ovn.org/network-connect-subnet"
KEY: Final = "k8s.ovn.org/connect-router-tunnel-key"
_OWNER: Final = re.compile("(layer[23])_([0-9]{1,4})")
_MAX_TEXT: Final = 256 * 1024
# However large a part of the connect subnets is, no more of its links have tunnel keys of their own.
_MAX_LINKS: Final = 5000


@dataclass(frozen=True, slots=True)
class Connections:
    """The recorded connections by name, and notes about what cannot be connected.

    ``unreadable`` are the names of connections whose record cannot be read.
    """

    found: tuple[Connection, ...] = ()
    notes: tuple[Remark, ...] = ()
    unreadable: frozenset[str] = frozenset()

    def kept_from(self, before: tuple[Connection, ...]) -> tuple[Connection, ...]:
        """Return the connections; of ``before``, those that cannot be read now: a bad record takes nothing away."""
        return (*self.found, *(each for each in before if each.name in self.unreadable))


def connections_of(view: ClusterView) -> Connections:
    """Return the connections in ``view``; those without a tunnel key wait for it."""
    inventory = inventory_of(view)
    read = inventory.derived(_connections, CLUSTER_NETWORK_CONNECT, *NETWORK_KINDS)
    if not read.found:
        return read
    facts = cluster_facts(view)
    services = facts.service_subnets or ()
    found = (replace(each, service_subnets=services, ip_versions=facts.ip_versions) for each in read.found)
    return replace(read, found=tuple(found))


def reserved_keys(inventory: Inventory) -> Mapping[str, LiveAllocation]:
    """Return the tunnel keys of connect routers, which no network may get."""
    keys = ((ref_of(obj).name, _key(obj)) for obj in inventory.objects(CLUSTER_NETWORK_CONNECT) or ())
    return {f"{CLUSTER_NETWORK_CONNECT.kind} {name}": LiveAllocation(router_key=key) for name, key in keys if key}


def _connections(inventory: Inventory) -> Connections:
    objects = sorted(inventory.objects(CLUSTER_NETWORK_CONNECT) or (), key=lambda obj: ref_of(obj).name)
    if not objects:
        return Connections()
    networks = {network.name: network for network in inventory.networks() or ()}
    ids = census(inventory).ids
    found, notes, unreadable = [], [], set()
    for obj in objects:
        name = ref_of(obj).name[:253]
        about = f"{CLUSTER_NETWORK_CONNECT.kind} {name}"
        if _key(obj) is None:
            notes.append(Remark(f"{about} waits for {KEY}"))
            continue
        connected, missing = [], []
        try:
            for owner, number, subnets in records(obj):
                named = (networks.get(each) for each in ids.get(number, ()))
                network = next((each for each in named if each is not None and _is_connected(each, owner)), None)
                if network is None:
                    missing.append(Remark(f"{about}: network {owner} is not known"))
                else:
                    connected.append(ConnectedNetwork(network, number, subnets, _first_key(obj, network, subnets[0])))
        except BadValueError as fault:
            notes.append(Remark(f"{about}: {fault}"))
            unreadable.add(name)
            continue
        notes += missing
        found.append(_connection(obj, name, sorted(connected, key=lambda each: each.network_id)))
    return Connections(tuple(found), tuple(notes), frozenset(unreadable))


def _connection(obj: JsonObject, name: str, networks: Iterable[ConnectedNetwork]) -> Connection:
    key, kinds = _key(obj), dig(obj, "spec", "connectivity")
    assert key is not None, "a connection without a key waits"
    wanted = kinds if isinstance(kinds, list) else ()
    return Connection(name, key, tuple(networks), "PodNetwork" in wanted, "ServiceNetwork" in wanted)


def _is_connected(network: Network, owner: str) -> bool:
    return network.role is Role.PRIMARY and owner.startswith(f"{network.topology}_")


def _key(obj: JsonObject) -> int | None:
    return decimal(dig(obj, "metadata", "annotations", KEY), 1, MAX_TUNNEL_KEY)


def records(obj: JsonObject) -> Iterator[tuple[str, int, tuple[IPNetwork, ...]]]:
    """The text and the number of each network, and the subnets of its links; IPv4 comes first."""
    text = text_of(dig(obj, "metadata", "annotations", SUBNETS))
    try:
        owners = json.loads(text) if text and len(text) <= _MAX_TEXT else {}
    except (ValueError, RecursionError):
        owners = None
    if not isinstance(owners, dict) or len(text) > _MAX_TEXT:
        raise BadValueError(f"{SUBNETS} is not a map of networks")
    for owner, record in owners.items():
        found = _OWNER.fullmatch(owner)
        number = decimal(found[2], 1, MAX_NETWORK_ID) if found is not None else None
        subnets = tuple(_subnet(record, version) for version in (4, 6) if dig(record, f"ipv{version}"))
        if number is not None and subnets:
            yield owner, number, subnets


def _subnet(record: object, version: int) -> IPNetwork:
    text = text_of(dig(record, f"ipv{version}"))
    return _parsed(text, version, f"{SUBNETS} has ipv{version} {text[:50]!r}, which is no subnet")


def _parsed(text: str, version: int, fault: str) -> IPNetwork:
    try:
        found = ip_interface(text).network if PREFIXED.fullmatch(text) else None
    except ValueError:
        found = None
    if found is None or found.version != version:
        raise BadValueError(fault)
    return found


def _first_key(obj: JsonObject, network: Network, subnet: IPNetwork) -> int:
    """The tunnel key of the port for link 0: of a Layer2 network it is the only one, and several share a part."""
    whole, length = _whole(obj, subnet)
    bits = subnet.max_prefixlen
    if not whole.prefixlen < length < bits:
        raise BadValueError(f"connectSubnets has networkPrefix {length} for {whole}")
    offset = int(subnet.network_address) - int(whole.network_address)
    links = 1 << (bits - length)
    key = offset // links * min(links, _MAX_LINKS) + 1
    return key + (offset % links >> (bits - subnet.prefixlen) if network.topology is Topology.LAYER2 else 0)


def _whole(obj: JsonObject, subnet: IPNetwork) -> tuple[IPNetwork, int]:
    """The connect subnet that ``subnet`` is a part of, and the prefix length of such parts."""
    items = dig(obj, "spec", "connectSubnets")
    for item in items if isinstance(items, list) else ():
        text, length = text_of(dig(item, "cidr")), dig(item, "networkPrefix")
        if (":" in text) is (subnet.version == 6) and isinstance(length, int):
            return _parsed(text, subnet.version, f"connectSubnets has {text[:50]!r}, which is no subnet"), length
    raise BadValueError(f"connectSubnets has no IPv{subnet.version} subnet for {subnet}")
