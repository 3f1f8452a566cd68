"""Flows of the node's external bridge: the host and the networks' gateway routers share its MAC.

Connection marks lead answers to their network. Packets of user-defined networks leave OVN with the network's masquerade
address and get the node's address, or an egress address selected by the packet's mark.

Source: ovn-kubernetes ``pkg/node/bridgeconfig/bridgeflows.go``, ``pkg/node/gateway_shared_intf.go`` (allowed services).
Not included: node ports and external addresses of services, the host's traffic to services with servers on hosts
(tables 4 and 5), reassembly, BFD.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from ovnguard.reconciler.plan.host.host_network import HostNetwork, HostNetworkFamily
from ovnguard.reconciler.plan.host.items import INTEGRATION_BRIDGE, Flow
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.topology.egress_ip import TO_NODES_MARK
from ovnguard.validators.network.addresses.addressing import MASQUERADE_HOST
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress

# The connection tracking zone of the uplink, and its connection marks: a user-defined network has 3 + its id.
ZONE: Final = 64000
OVN_MARK: Final = 1
HOST_MARK: Final = 2
USER_MARK: Final = 3
_GENEVE: Final = 6081
# An Ethernet header, without VLAN.
_FRAME: Final = 14
_TOO_LARGE: Final = 11
UPLINK: Final = "{uplink}"
# The connection tracking zone of the host's connections to services, and the tables towards OVN and back.
_SERVICE_ZONE: Final = 64001
_TO_SERVICES: Final = 2
_FROM_SERVICES: Final = 3


def patch_port(on_host: HostNetwork) -> str:
    """Return the name of a network's patch port on the bridge, which ovn-controller creates."""
    localnet = Names(on_host.network.name).localnet_port(on_host.gateway.bridge_id, on_host.node.name)
    return f"patch-{localnet}-to-{INTEGRATION_BRIDGE}"


def bridge_flows(
    host_networks: Sequence[tuple[HostNetwork, int]], marked: Iterable[tuple[int, IPAddress]]
) -> Iterable[Flow]:
    """Return the flows of all networks, given with their ids; ``marked`` are packet marks and egress addresses here.

    Empty without networks, and on a bridge in a VLAN.
    """
    if not host_networks or host_networks[0][0].gateway.vlan_id:
        return
    marks = tuple(marked)
    first = host_networks[0][0]
    versions = sorted({each.version for on_host, _ in host_networks for each in on_host.families})
    bridge = _Bridge(first)
    yield from bridge.common([patch_port(on_host) for on_host, _ in host_networks], versions)
    for on_host, number in host_networks:
        mark = OVN_MARK if on_host.network.is_default else USER_MARK + number
        own = _Bridge(on_host)
        yield from own.network(mark)
        for family in on_host.families:
            yield from own.family(family, mark, marks)
            yield from own.services(family)
    if first.is_local_mode:
        yield from bridge.too_large(host_networks)


class _Bridge:
    """Creates the flows of one network; flows of no network count as the default network's."""

    def __init__(self, on_host: HostNetwork) -> None:
        self._on_host = on_host
        self._name, self._mac = on_host.gateway.bridge_id, on_host.gateway.mac
        self._patch = f"{{{patch_port(on_host)}}}"

    def common(self, patches: Sequence[str], versions: Sequence[int]) -> Iterable[Flow]:
        """Flows for tunnels, the host's own packets, and incoming packets."""
        everyone = "".join(f"output:{{{patch}}}," for patch in patches)
        yield self._common(10, f"dl_dst={self._mac}", f"{everyone}NORMAL")
        for version in versions:
            ip, udp = ("ip", "udp") if version == 4 else ("ipv6", "udp6")
            to_us = f"{udp},in_port={UPLINK},dl_dst={self._mac},tp_dst={_GENEVE}"
            yield self._common(205, to_us, "LOCAL")
            yield self._common(200, f"{udp},in_port={UPLINK},tp_dst={_GENEVE}", "NORMAL")
            yield self._common(200, f"{udp},in_port=LOCAL,tp_dst={_GENEVE}", f"output:{UPLINK}")
            yield self._common(100, f"{ip},in_port=LOCAL", _leave(HOST_MARK))
            yield self._common(50, f"{ip},dl_dst={self._mac}", f"ct(table=1,zone={ZONE},nat)")
            for state in ("+est+trk", "+rel+trk"):
                match = f"ct_state={state},ct_mark={HOST_MARK:#x},{ip}"
                yield self._common(100, match, "LOCAL", table=1)
        if 6 in versions:
            # router advertisements belong to no connection
            for kind in (134, 136):
                yield self._common(14, f"icmp6,icmp_type={kind}", "FLOOD", table=1)
        yield self._common(10, f"dl_dst={self._mac}", "LOCAL", table=1)
        yield self._common(0, "", "NORMAL", table=1)

    def network(self, mark: int) -> Iterable[Flow]:
        """Packets other than IP must have the bridge's MAC."""
        yield self._flow(10, f"in_port={self._patch},dl_src={self._mac}", "NORMAL")
        yield self._flow(9, f"in_port={self._patch}", "drop")
        for version in sorted({each.version for each in self._on_host.families}):
            for state in ("+est+trk", "+rel+trk"):
                match = f"ct_state={state},ct_mark={mark:#x},{'ip' if version == 4 else 'ipv6'}"
                yield self._flow(100, match, self._answer(), table=1)

    def family(self, family: HostNetworkFamily, mark: int, marked: Iterable[tuple[int, IPAddress]]) -> Iterable[Flow]:
        """Outgoing packets with their source address; incoming packets for pods whose addresses are routable."""
        on_host, version = self._on_host, family.version
        ip, source, target = _fields(version)
        node = next((each.ip for each in on_host.gateway.addresses if each.version == version), None)
        leaving = f"{ip},in_port={self._patch},dl_src={self._mac}"
        if node is None:
            return
        yield self._flow(105, f"pkt_mark={TO_NODES_MARK:#x},{leaving}", _leave(mark, node))
        if on_host.network.is_default:
            yield self._flow(100, leaving, _leave(mark))
        else:
            for packet, address in marked:
                if address.version == version:
                    yield self._flow(105, f"pkt_mark={packet:#x},{leaving}", _leave(mark, address))
            if family.router_masquerade is not None:
                yield self._flow(100, f"{leaving},{source}={family.router_masquerade}", _leave(mark, node))
        for cluster in family.clusters:
            # packets without translation do not leave
            yield self._flow(103, f"{ip},in_port={self._patch},{source}={cluster}", "drop")
        if on_host.is_routed:
            side = "LOCAL" if on_host.is_local_mode else self._patch
            inside = "LOCAL" if on_host.is_local_mode else f"output:{self._patch}"
            yield self._flow(300, f"{ip},in_port={UPLINK},{target}={family.subnet}", inside)
            routed = f"{ip},in_port={side},dl_src={self._mac},{source}={family.subnet}"
            yield self._flow(104, routed, f"output:{UPLINK}")
            if not on_host.network.is_default and not on_host.is_local_mode:
                # packets to which the gateway router gave the node's address share the node's ports
                yield self._flow(99, f"{leaving},{source}={node}", _leave(mark, node))

    def services(self, family: HostNetworkFamily) -> Iterable[Flow]:
        """The host's connections to services of the default network, and those of the services that are allowed to
        user-defined networks: they come with the masquerade address of the network's port on the host.
        """
        ip, source, target = _fields(family.version)
        if family.masquerade is not None:
            yield self._flow(200, f"{ip},{source}={family.masquerade}", "drop", table=_TO_SERVICES)
        if not self._on_host.network.is_default:
            return
        to_ovn = f"set_field:{self._mac}->eth_dst,output:{self._patch}"
        inside, own = family.masquerade_subnet, family.masquerade_subnet.network_address + MASQUERADE_HOST
        there, back = f"table={_TO_SERVICES},zone={_SERVICE_ZONE}", f"table={_FROM_SERVICES},zone={_SERVICE_ZONE}"
        for services in self._on_host.services:
            if services.version == family.version:
                host = f"{ip},in_port=LOCAL"
                yield self._flow(500, f"{host},{target}={services}", f"ct(commit,{there},nat(src={own}))")
                yield self._flow(550, f"{host},{source}={inside},{target}={services}", f"ct(commit,{there})")
                answer = f"{ip},in_port={self._patch},{source}={services},{target}={inside}"
                yield self._flow(500, answer, f"ct({back},nat)")
        for service in self._on_host.settings.services:
            for address in service.addresses:
                if address.version == family.version:
                    match = f"{ip},{source}={inside},{target}={address}"
                    yield self._flow(300, match, to_ovn, table=_TO_SERVICES)
        yield self._flow(100, f"{ip},{source}={own}", to_ovn, table=_TO_SERVICES)
        to_host = f"move:NXM_OF_ETH_DST[]->NXM_OF_ETH_SRC[],set_field:{self._mac}->eth_dst,LOCAL"
        yield self._flow(100, ip, to_host, table=_FROM_SERVICES)

    def too_large(self, host_networks: Sequence[tuple[HostNetwork, int]]) -> Iterable[Flow]:
        """Packets that match no network go to the host, which fragments them or answers with an ICMP error."""
        yield self._common(10, "reg0=0x1", "LOCAL", table=_TOO_LARGE)
        for on_host, number in host_networks:
            to_patch = f"output:{{{patch_port(on_host)}}}"
            if on_host.network.is_default:
                yield Flow(self._name, _TOO_LARGE, 1, "", to_patch, on_host.network.name)
            else:
                match = f"ct_mark={USER_MARK + number:#x}"
                yield Flow(self._name, _TOO_LARGE, 5, match, to_patch, on_host.network.name)

    def _answer(self) -> str:
        mtu = self._on_host.settings.default_mtu
        if not self._on_host.is_local_mode or mtu is None:
            return f"output:{self._patch}"
        largest = mtu + _FRAME
        return f"check_pkt_larger({largest})->NXM_NX_REG0[0],resubmit(,{_TOO_LARGE})"

    def _flow(self, priority: int, match: str, actions: str, table: int = 0) -> Flow:
        return Flow(self._name, table, priority, match, actions, self._on_host.network.name)

    def _common(self, priority: int, match: str, actions: str, table: int = 0) -> Flow:
        return Flow(self._name, table, priority, match, actions, DEFAULT_NETWORK)


def _fields(version: int) -> tuple[str, str, str]:
    """Packets of an IP version, their source and their destination in matches."""
    return ("ip", "nw_src", "nw_dst") if version == 4 else ("ipv6", "ipv6_src", "ipv6_dst")


def _leave(mark: int, source: IPAddress | None = None) -> str:
    nat = f"nat(src={source})," if source is not None else ""
    return f"ct(commit,zone={ZONE},{nat}exec(set_field:{mark:#x}->ct_mark)),output:{UPLINK}"
