"""Ports of pods on the switch of their network.

A Layer2 network has one switch over all zones, so every zone has the ports of all pods: those of other nodes are remote
and bound there. Switches of Layer3 and Localnet networks end at the node and have only its pods.

Source: ovn-kubernetes ``base_network_controller_pods.go`` and ``zone_interconnect``; OKEP-5094, "Tunnel keys".
"""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from ovnguard.reconciler.plan.rows.model import PodPort
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.northbound import new_row, of_table, refs
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.common_rows import network_ids
from ovnguard.reconciler.plan.topology.leases import lease_rows
from ovnguard.validators.network.model import Network, Topology

POD: Final = "pod"
NAMESPACE: Final = "namespace"
ATTACHMENT: Final = "k8s.ovn.org/nad"


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
    # OVN-Kubernetes deletes the options, of all networks, where a machine ran that keeps its address in the default one
    dhcp = {} if port.moved and not remote else lease_rows(port, network, settings)
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


def joined(rows: Sequence[Row], switch: str, ports: Sequence[Row]) -> tuple[Row, ...]:
    """Return a network's ``rows`` with ``ports`` on the switch of this name.

    ``ports`` may contain rows that the ports refer to.
    """
    found: list[Row] = []
    for row in rows:
        if row.table == "Logical_Switch" and row.columns["name"] == switch:
            own = row.columns["ports"]
            held = [each for each in own if isinstance(each, Ref)] if isinstance(own, tuple) else []
            whole: Column = tuple(sorted([*held, *of_table("Logical_Switch_Port", ports)]))
            found.append(replace(row, columns=MappingProxyType({**row.columns, "ports": whole})))
        else:
            found.append(row)
    return (*ports, *found)
