"""A lab with the rows of a plan only: it applies the plan to every zone and connects pods to the planned ports."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_interface
from typing import Any, cast

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.host.host_plan import Abilities
from ovnguard.reconciler.plan.host.host_planner import HostInputs, host_plan
from ovnguard.reconciler.plan.host.items import Neighbour
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import Lease, PodPort
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row import Row, ZonePlan
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.addresses.addressing import mac_of
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPNetwork, Network, Topology
from tests.testbed.bridge import Uplink
from tests.testbed.endpoint import Endpoint
from tests.testbed.ovnlab import OvnLab
from tests.testbed.ovs import EXTERNAL, NodeSpec, OvnNode

LabFactory = Callable[[Sequence[NodeSpec], Sequence[str]], OvnLab]

OUTSIDE4, OUTSIDE6 = "172.18.0.1", "fc00::1"
# How to talk to a server, and the octets to send.
KINDS = (("tcp", 1_000_000), ("udp", 1000))
_FIRST_POD = 10


@dataclass(frozen=True)
class Pod:
    """A pod: what the plan knows of it, and the machine."""

    port: PodPort
    machine: Endpoint

    def ip(self, version: int) -> str:
        """Its address of a family."""
        return self.machine.ip(version)


def spec_of(node: Node) -> NodeSpec:
    """The machine for a planned node."""
    assert node.gateway is not None, "a node of the lab has a gateway"
    return NodeSpec(
        node.name, node.chassis_id, node.gateway.mac, tuple(str(address) for address in node.gateway.addresses)
    )


def outside(version: int) -> str:
    """The address of the host outside, which is the next hop of planned nodes."""
    return OUTSIDE4 if version == 4 else OUTSIDE6


class Cluster:
    """Networks on the nodes of a lab. `networks`, `settings` and `members` may be changed; then `apply`."""

    def __init__(self, lab: OvnLab, members: Sequence[Node], networks: Sequence[Network], settings: Settings) -> None:
        self.lab, self.members = lab, tuple(members)
        self.networks, self.settings = tuple(networks), settings
        self.pods: dict[str, Pod] = {}
        self.entered: dict[tuple[str, str], tuple[str, ...]] = {}
        """By node and network: which packets from outside br-ex gives to the network, as OpenFlow matches."""
        self._managed: set[tuple[str, str]] = set()
        # ports of pods that their machine is not plugged into
        self._unplugged: set[str] = set()
        self._stores = {name: NorthboundStore(node.zone.nb) for name, node in lab.nodes.items()}

    def close(self) -> None:
        """Let go of the databases."""
        for store in self._stores.values():
            store.close()

    def node(self, name: str) -> Node:
        """A planned node."""
        return next(member for member in self.members if member.name == name)

    def network(self, name: str) -> Network:
        """A planned network."""
        return next(network for network in self.networks if network.name == name)

    def plan(self) -> Plan:
        """What all zones should hold."""
        ports: dict[str, tuple[PodPort, ...]] = {}
        for pod in self.pods.values():
            ports[pod.port.network] = (*ports.get(pod.port.network, ()), pod.port)
        plan = make_plan(self.networks, self.members, self.settings, pods=ports)
        assert not plan.errors, "; ".join(map(str, plan.errors))
        return plan

    def apply(self) -> None:
        """Bring every zone that lives to the plan, and return when all pods' ports work."""
        self.write(*(node.name for node in self.lab.alive))
        self.lab.wait()
        for zone in self.plan().zones:
            if self.lab[zone.node].alive:
                self._share(self.lab[zone.node], zone)
                self._tell_host(zone.node)
        for pod in self.pods.values():
            if self.lab[pod.port.node].alive and pod.port.name not in self._unplugged:
                self.lab[pod.port.node].wait_up(pod.port.name)
        self.lab.wait()

    def write(self, *nodes: str) -> None:
        """Bring the Northbound databases of some nodes to the plan, without waiting for what follows from it."""
        for zone in self.plan().zones:
            if zone.node in nodes:
                store = self._stores[zone.node]
                store.apply(diff(store.read(), zone.rows))

    def _share(self, node: OvnNode, zone: ZonePlan) -> None:
        """What the node's host does beside OVN: br-ex is told whose packets are whose, and holds egress addresses."""
        rows = {(row.table, row.columns["name"]): row for row in zone.rows if "name" in row.columns}
        uplinks = {}
        for network in self.networks:
            names, member = Names(network.name), self.node(node.name)
            assert member.gateway is not None
            localnet = names.localnet_port(member.gateway.bridge_id, member.name)
            port = rows.get(("Logical_Router_Port", names.gateway_to_external(member.name)))
            if port is not None and ("Logical_Switch_Port", localnet) in rows:
                uplinks[localnet] = Uplink(
                    *(0, _masquerades(port), self._marked(network, node), self._routed(network, member)),
                    self.entered.get((node.name, network.name), ()),
                )
        node.share_uplink(uplinks)

    def _marked(self, network: Network, node: OvnNode) -> tuple[tuple[int, str], ...]:
        """Marks of egress addresses that this node holds for a network; only the default network's are OVN's own."""
        if network.is_default:
            return ()
        held = {address["local"] for each in node.namespace.ip_json("address") for address in each["addr_info"]}
        found = []
        for assignment in self.settings.egress:
            for hop in assignment.hops if assignment.network == network.name else ():
                if hop.node == node.name:
                    found.append((assignment.mark, str(hop.address)))
                    if str(hop.address) not in held:
                        node.namespace.add_address(EXTERNAL, f"{hop.address}/{hop.address.max_prefixlen}")
        return tuple(found)

    def _routed(self, network: Network, node: Node) -> tuple[str, ...]:
        routed = self.settings.is_routed(network)
        return tuple(map(str, self._subnets(network, node.name))) if routed else ()

    def pod(self, network: str, node: str, number: int = 1, *, advertised: bool = False, **changes: Any) -> Pod:
        """A pod on a network and node; call `apply` after the last one. `number` tells pods of a network apart.

        `changes` are other values of its port.
        """
        port, lengths, gateways = self._place(network, node, number)
        port = replace(port, **changes)
        addresses = [f"{address}/{length}" for address, length in zip(port.addresses, lengths, strict=True)]
        routes = [gateway for gateway in gateways if not (advertised and ":" in gateway)]
        name = f"{port.pod}-{len(self.pods)}"
        machine = self.lab.pod(
            *(name, node, port.name, port.mac, addresses, routes), version=port.uid, advertised=advertised
        )
        self.pods[name] = Pod(port, machine)
        return self.pods[name]

    def management(self, network: str, node: str) -> str:
        """Make the node's own port on a network, as its host does: the device's name.

        Translated pods are behind it, so that the node's answers find their way back.
        """
        found, names = self.network(network), Names(network)
        device = f"ovn-k8s-mp{found.network_id or 0}"
        rows = next(zone.rows for zone in self.plan().zones if zone.node == node)
        port = next(row for row in rows if row.columns.get("name") == names.management_port(node))
        (place,) = cast(tuple[str], port.columns["addresses"])
        mac, *addresses = place.split()
        subnets = self._subnets(found, node)
        lengths = [subnet.prefixlen for subnet in subnets for address in addresses if ip_address(address) in subnet]
        held = [f"{address}/{length}" for address, length in zip(addresses, lengths, strict=True)]
        self.lab[node].add_internal(device, names.management_port(node), mac, held)
        for row in rows:
            # the addresses that pods are given towards this port
            if row.table == "NAT" and str(row.columns["match"]).startswith(f"eth.dst == {mac}"):
                seen = str(row.columns["external_ip"])
                family = "-6" if ":" in seen else "-4"
                self.lab[node].namespace.ip(family, "route", "replace", seen, "dev", device)
        self._managed.add((node, device))
        self._tell_host(node)
        return device

    def _tell_host(self, node: str) -> None:
        """Write the MACs of routers that the host's own ports on networks reach."""
        inputs = HostInputs(self.networks, self.members, self.plan().ids, self.settings)
        for item in host_plan(node, inputs, Abilities(vrf=False)).items:
            if isinstance(item, Neighbour) and (node, item.device) in self._managed:
                words = (str(item.address), "lladdr", item.mac, "dev", item.device, "nud", "permanent")
                self.lab[node].namespace.ip("neighbour", "replace", *words)

    def _subnets(self, network: Network, node: str) -> Sequence[IPNetwork]:
        if network.topology is Topology.LAYER3:
            return self.node(node).host_subnets[network.name]
        return [each.cidr for each in network.subnets]

    def _place(self, network: str, node: str, number: int) -> tuple[PodPort, list[int], list[str]]:
        """Addresses as the cluster manager would record them: the plan is not asked for what it is to be told."""
        found = self.network(network)
        subnets = self._subnets(found, node)
        addresses = tuple(subnet.network_address + _FIRST_POD + number for subnet in subnets)
        port = PodPort(
            network=network,
            attachment="default" if found.is_default else f"ns/{network.replace('_', '-')}",
            namespace="ns",
            pod=f"{node}-pod{number}",
            uid=f"uid-{node}-{number}",
            node=node,
            mac=mac_of(addresses[0]),
            addresses=addresses,
            key=None if found.topology is Topology.LAYER3 else _FIRST_POD + number,
        )
        return port, [subnet.prefixlen for subnet in subnets], [str(subnet.network_address + 1) for subnet in subnets]

    def move(self, pod: Pod, node: str) -> Pod:
        """The pod's machine is on another node from now on, under a new pod's name; call `apply` to tell the zones."""
        port = replace(pod.port, node=node, pod=f"{pod.port.pod}-moved", uid=f"{pod.port.uid}-moved")
        self.lab.move(pod.machine, node, iface_id=port.name, version=port.uid)
        self.pods[pod.machine.name] = Pod(port, pod.machine)
        return self.pods[pod.machine.name]

    def prepared(self, source: Pod, node: str, name: str) -> Pod:
        """The pod that the machine of `source` will run in; call `apply`, then `take_over`."""
        target = Pod(self._target(source, node, name), source.machine)
        self.pods[name] = target
        self._unplugged.add(target.port.name)
        return target

    def take_over(self, source: Pod, target: Pod) -> Pod:
        """The machine runs in the target from now on; call `apply`. The source is not plugged in any more."""
        enabled = {source.port.name: False, target.port.name: True}
        for name, held in tuple(self.pods.items()):
            if held.port.name in enabled:
                self.pods[name] = replace(held, port=replace(held.port, enabled=enabled[held.port.name]))
        self._unplugged.add(source.port.name)
        self._unplugged.discard(target.port.name)
        self.lab.move(target.machine, target.port.node, iface_id=target.port.name, version=target.port.uid)
        return replace(target, port=replace(target.port, enabled=True))

    def end(self, pod: Pod) -> None:
        """The pod is gone; call `apply`."""
        self.pods = {name: held for name, held in self.pods.items() if held.port.name != pod.port.name}

    def _target(self, source: Pod, node: str, pod: str) -> PodPort:
        """The port of another pod with the addresses of the machine in `source`, for a live migration."""
        found = self.network(source.port.network)
        lease = Lease(tuple(subnet.cidr for subnet in found.subnets), found.subnets[0].cidr.network_address + 1)
        for name, held in tuple(self.pods.items()):
            if held.port.name == source.port.name:
                self.pods[name] = replace(held, port=replace(held.port, machine="vm", lease=lease))
        assert source.port.key is not None
        own = replace(source.port, node=node, pod=pod, uid=f"uid-{pod}")
        return replace(own, key=source.port.key ^ 128, machine="vm", enabled=False, lease=lease)

    def target(self, source: Pod, node: str) -> Pod:
        """The target of a live migration of the virtual machine in `source`, with a machine of its own."""
        found = self.network(source.port.network)
        port = self._target(source, node, f"{source.port.pod}-target")
        gateways = [str(subnet.cidr.network_address + 1) for subnet in found.subnets]
        place = (f"{source.machine.name}-t", node, port.name, port.mac, source.machine.addresses, gateways)
        machine = self.lab.pod(*place, version=port.uid)
        self.pods[machine.name] = Pod(port, machine)
        return self.pods[machine.name]

    def hand_over(self, source: Pod, target: Pod) -> None:
        """The target carries the machine's traffic from now on; call `apply` to tell the zones."""
        self._replace(source, enabled=False)
        self._replace(target, enabled=True)

    def _replace(self, pod: Pod, **changes: Any) -> None:
        now = self.pods[pod.machine.name]
        self.pods[pod.machine.name] = replace(now, port=replace(now.port, **changes))


def _masquerades(port: Row) -> tuple[str, ...]:
    """The addresses of a gateway router's outer port that are no address of the node."""
    networks = port.columns["networks"]
    assert isinstance(networks, tuple)
    interfaces = [ip_interface(str(each)) for each in networks]
    return tuple(str(each.ip) for each in interfaces if each.network.prefixlen == each.max_prefixlen)


@contextlib.contextmanager
def cluster(
    ovn_lab: LabFactory, members: Sequence[Node], networks: Sequence[Network], settings: Settings
) -> Iterator[Cluster]:
    """A lab with these nodes and networks; `apply` has not been called."""
    lab = ovn_lab([spec_of(member) for member in members], (f"{OUTSIDE4}/16", f"{OUTSIDE6}/64"))
    with contextlib.closing(Cluster(lab, members, networks, settings)) as made:
        yield made


def pods_on(made: Cluster, network: str, nodes: Sequence[str]) -> Mapping[str, Pod]:
    """One pod on each of these nodes, with everything applied."""
    pods = {node: made.pod(network, node, number) for number, node in enumerate(nodes, 1)}
    made.apply()
    return pods
