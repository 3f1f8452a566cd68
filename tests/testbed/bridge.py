"""Flows of a node's external bridge, which the host and several OVN networks share behind one address.

A gateway router's external address is the node's own, and its MAC the bridge's: on the wire there is one machine. So
the node tells by connection tracking whose an answer is, as OVN-Kubernetes' gateway does (go-controller,
``pkg/node/bridgeconfig``): networks of users leave OVN with a masquerade address of theirs and get the node's here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Final

_ZONE: Final = 64000
_HOST_MARK: Final = 2
_FIRST_MARK: Final = 3
_GENEVE: Final = 6081
_NEIGHBOURS: Final = ("arp", "icmp6,icmp_type=135", "icmp6,icmp_type=136")


@dataclass(frozen=True, slots=True)
class Uplink:
    """One network's way out: the patch port's number, and what leaves by it.

    Packets from an address in `masquerades` get the node's address of that family. `marked` gives packets of a packet
    mark another one: (mark, address). Packets from and to prefixes in `routed` pass as they are. All else keeps its
    source, and answers are known by their connection. What comes in and matches one of `entered` is for this network.
    """

    port: int
    masquerades: tuple[str, ...] = ()
    marked: tuple[tuple[int, str], ...] = ()
    routed: tuple[str, ...] = ()
    entered: tuple[str, ...] = ()


def bridge_flows(physical: int, addresses: Sequence[str], uplinks: Sequence[Uplink]) -> list[str]:
    """The flows, for `ovs-ofctl replace-flows`; `addresses` are the node's own, without length."""
    own: dict[int, str] = {ip_address(address).version: address for address in reversed(addresses)}
    everyone = ",".join(["LOCAL", *(f"output:{uplink.port}" for uplink in uplinks)])
    flows = [
        # tunnels are the host's and pass without connection tracking
        *(f"priority=205,in_port={physical},{udp},tp_dst={_GENEVE},actions=LOCAL" for udp in ("udp", "udp6")),
        *(f"priority=205,in_port=LOCAL,{udp},tp_dst={_GENEVE},actions=output:{physical}" for udp in ("udp", "udp6")),
        # all have the same MAC, so that learning it would tell neighbours' answers to the last who spoke
        *(f"priority=200,in_port={physical},{match},actions={everyone}" for match in _NEIGHBOURS),
        *(f"priority=200,in_port=LOCAL,{match},actions=output:{physical}" for match in _NEIGHBOURS),
        *(f"priority=50,in_port={physical},{ip},actions=ct(zone={_ZONE},nat,table=1)" for ip in ("ip", "ipv6")),
        *(f"priority=50,in_port=LOCAL,{ip},actions={_leave(_HOST_MARK, physical)}" for ip in ("ip", "ipv6")),
        *_answers(_HOST_MARK, "LOCAL"),
        *(f"table=1,priority=10,{ip},actions=LOCAL" for ip in ("ip", "ipv6")),
    ]
    for mark, uplink in enumerate(uplinks, _FIRST_MARK):
        flows += _uplink_flows(physical, own, uplink, mark)
    return flows


def _uplink_flows(physical: int, own: dict[int, str], uplink: Uplink, mark: int) -> Iterable[str]:
    port = f"in_port={uplink.port}"
    yield from (f"priority=200,{port},{match},actions=output:{physical}" for match in _NEIGHBOURS)
    yield from (f"priority=300,in_port={physical},{match},actions=output:{uplink.port}" for match in uplink.entered)
    for prefix in uplink.routed:
        ip, source, target = _fields(ip_network(prefix).version)
        yield f"priority=150,{port},{ip},{source}={prefix},actions=output:{physical}"
        yield f"priority=150,in_port={physical},{ip},{target}={prefix},actions=output:{uplink.port}"
    for masquerade in uplink.masquerades:
        version = ip_address(masquerade).version
        # every node has them, so nobody may ask or tell of them outside; OVN 25.03 announces them all the same
        about = f"arp,arp_spa={masquerade}" if version == 4 else f"icmp6,icmp_type=136,nd_target={masquerade}"
        yield f"priority=210,{port},{about},actions=drop"
        ip, source, _ = _fields(version)
        match = f"{port},{ip},{source}={masquerade}"
        for pkt_mark, address in uplink.marked:
            if ip_address(address).version == version:
                yield f"priority=110,{match},pkt_mark={pkt_mark},actions={_leave(mark, physical, address)}"
        yield f"priority=100,{match},actions={_leave(mark, physical, own[version])}"
    yield from (f"priority=50,{port},{ip},actions={_leave(mark, physical)}" for ip in ("ip", "ipv6"))
    yield from _answers(mark, f"output:{uplink.port}")


def _fields(version: int) -> tuple[str, str, str]:
    return ("ip", "nw_src", "nw_dst") if version == 4 else ("ipv6", "ipv6_src", "ipv6_dst")


def _leave(mark: int, physical: int, source: str = "") -> str:
    nat = f"nat(src={source}),"
    return f"ct(commit,zone={_ZONE},{nat if source else ''}exec(set_field:{mark}->ct_mark)),output:{physical}"


def _answers(mark: int, action: str) -> Iterable[str]:
    for ip in ("ip", "ipv6"):
        for state in ("+trk+est", "+trk+rel"):
            yield f"table=1,priority=100,ct_state={state},ct_mark={mark},{ip},actions={action}"
