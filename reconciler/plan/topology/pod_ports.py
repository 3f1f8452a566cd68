"""Ports of pods on the switch of their network.

A Layer2 network has one switch over all zones, so every zone has the ports of all pods: those of other nodes are remote
and bound there. Switches of Layer3 and Localnet networks end at the node and have only its pods.

Source: ovn-kubernetes ``base_network_controller_pods.go`` and ``zone_interconnect``; OKEP-5094, "Tunnel keys".
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from reconciler.plan.model import PodPort
from reconciler.plan.names import Names
from reconciler.plan.northbound import new_row, of_table, refs
from reconciler.plan.rows import Column, Ref, Row
from reconciler.plan.settings import Settings
from reconciler.plan.topology.common_rows import network_ids
from reconciler.plan.topology.leases import lease_rows
from validators.network.addresses.addressing import SWITCH_TO_ROUTER_PORT_KEY
from validators.network.model import Network, Topology

POD: Final = "pod"
NAMESPACE: Final = "namespace"
ATTACHMENT: Final = "k8s.ovn.org/nad"
# Port keys that pods no longer get; pods older than this rule may have one.
PLATFORM_KEYS: Final = range(SWITCH_TO_ROUTER_PORT_KEY, 10)


def pod_switch(network: Network, node: str) -> str:
    """Return the name of the switch that pods of ``node`` are on."""
    names = Names(network.name)
    if network.topology is Topology.LAYER2:
        return names.layer2_switch
    return names.node_switch(node) if network.topology is Topology.LAYER3 else names.localnet_switch


def is_shared(network: Network) -> bool:
    """Whether all zones share the switch that pods are on."""
    return network.topology is Topology.LAYER2


def pod_port_rows(
    port: PodPort, network: Network, chassis: str, settings: Settings, *, remote: bool
) -> tuple[Row, ...]:
    """Return the port of a pod on the node with this chassis, after the rows that it refers to.

    ``remote`` means that it belongs to another zone. Of the pods of a virtual machine, only one has a port with
    addresses: the switch would send the machine's packets to the other one as well.
    """
    dhcp = lease_rows(port, network, settings)
    enabled = port.enabled if network.topology in (Topology.LAYER2, Topology.LOCALNET) else None
    ids = {POD: "true", NAMESPACE: port.namespace, **network_ids(network)}
    if not network.is_default:
        ids[ATTACHMENT] = port.attachment
    options = {"requested-chassis": chassis}
    if port.uid:
        # prevents that an interface of an earlier pod with this name gets the port
        options["iface-id-ver"] = port.uid
    if is_shared(network) and port.key is not None:
        options["requested-tnl-key"] = str(port.key)
    texts = (" ".join([port.mac, *map(str, port.addresses)]),)
    columns: dict[str, Column] = {
        "name": port.name,
        "type": "remote" if remote else "",
        "addresses": () if enabled is False else texts,
        "port_security": texts,
        "enabled": () if enabled is None else (enabled,),
        "dhcpv4_options": refs([dhcp[4]] if 4 in dhcp else []),
        "dhcpv6_options": refs([dhcp[6]] if 6 in dhcp else []),
        "options": options,
        "external_ids": ids,
    }
    return (*dhcp.values(), new_row("Logical_Switch_Port", columns))


def joined(rows: Sequence[Row], switch: str, ports: Sequence[Row], keys: Collection[int]) -> tuple[Row, ...]:
    """Return a network's ``rows`` with ``ports`` on the switch of this name; ``keys`` are the ports' tunnel keys.

    ``ports`` may contain rows that the ports refer to.
    """
    found: list[Row] = []
    for row in rows:
        if row.table == "Logical_Switch" and row.columns["name"] == switch:
            own = row.columns["ports"]
            held = [each for each in own if isinstance(each, Ref)] if isinstance(own, tuple) else []
            found.append(_with(row, "ports", tuple(sorted([*held, *of_table("Logical_Switch_Port", ports)]))))
        elif row.table == "Logical_Switch_Port" and row.columns["type"] == "router":
            found.append(_yielding(row, keys))
        else:
            found.append(row)
    return (*ports, *found)


def _yielding(row: Row, keys: Collection[int]) -> Row:
    """The switch's port to its router, with a different key when a pod has its key: pods never change theirs.

    No packet from another zone uses this key, so it only has to be unique here.
    """
    options = row.columns["options"]
    own = str(SWITCH_TO_ROUTER_PORT_KEY)
    if SWITCH_TO_ROUTER_PORT_KEY not in keys or not isinstance(options, MappingProxyType):
        return row
    if options.get("requested-tnl-key") != own:
        return row
    free = next((key for key in PLATFORM_KEYS if key not in keys), None)
    kept = {name: value for name, value in options.items() if name != "requested-tnl-key"}
    return _with(row, "options", MappingProxyType(kept if free is None else {**kept, "requested-tnl-key": str(free)}))


def _with(row: Row, column: str, value: Column) -> Row:
    return replace(row, columns=MappingProxyType({**row.columns, column: value}))
