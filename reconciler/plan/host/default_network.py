"""The default network on a node: management port, masquerade addresses of the bridge, source NAT, routes to pods.

Source: ovn-kubernetes ``pkg/node/managementport/port_linux.go``, ``pkg/node/gateway_nftables.go``,
``pkg/node/gateway_init.go``; enhancement "no-overlay mode", outboundSNAT.
"""

from collections.abc import Iterable
from typing import Final

from ovnguard.reconciler.plan.host.host_network import HostNetwork, HostNetworkFamily, single
from ovnguard.reconciler.plan.host.items import Address, Item, Neighbour, Rule
from ovnguard.reconciler.plan.host.nft import Hook, Match, NftChain, NftRule, NftSet, elements_of
from ovnguard.validators.network.addresses.addressing import MASQUERADE_HOST, MASQUERADE_OVN, interface, mac_of
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPNetwork

PORT: Final = "ovn-k8s-mp0"
# The routing table for the node's own packets to its pods, and the priority of its rule: below those of services (30).
POD_TABLE: Final = 7
POD_PRIORITY: Final = 31
# After other programs' source NAT (100), so that ovnguard does not translate again.
LOCAL_GATEWAY: Final = Hook("nat", "postrouting", 101)
MANAGEMENT: Final = Hook("nat", "postrouting", 100)
# Masquerade addresses below this offset do not belong to user-defined networks.
_RESERVED_BITS: Final = 3


def default_items(on_host: HostNetwork) -> Iterable[Item]:
    """Return the default network's items."""
    network = on_host.network.name
    yield from on_host.port_items("")
    yield from on_host.addresses(bare=False)
    for each in on_host.families:
        # requests for the gateway's MAC with a source from outside the subnet would be dropped by the router
        yield Neighbour(PORT, each.gateway, on_host.router_mac, network)
        yield on_host.route(single(each.kept_source), PORT, each.gateway)
        if on_host.is_routed:
            yield from _to_own_pods(on_host, each)
        else:
            yield from (on_host.route(cluster, PORT, each.gateway) for cluster in each.clusters)
        yield from _on_bridge(on_host, each)


def default_nft(on_host: HostNetwork, others: Iterable[Node]) -> tuple[list[NftSet], list[NftChain]]:
    """Return sets and chains of the default network; ``others`` are all other nodes."""
    sets: list[NftSet] = []
    chains = [_management_snat(on_host)]
    if on_host.is_local_mode:
        remote = [single(each) for node in others for each in sorted(node.own_addresses, key=int)]
        for each in on_host.families:
            sets += _sets(on_host, each, [net for net in remote if net.version == each.version])
        chains += _local_gateway(on_host)
    return sets, chains


def _translates(on_host: HostNetwork) -> bool:
    return on_host.network.no_overlay is not None and on_host.network.no_overlay.outbound_snat


def _to_own_pods(on_host: HostNetwork, each: HostNetworkFamily) -> Iterable[Item]:
    """Without overlay, BGP routes lead to other nodes' pods; only the node's own pods are behind the port."""
    if not on_host.is_local_mode:
        yield on_host.route(each.subnet, PORT, each.gateway, table=POD_TABLE)
        yield Rule(POD_PRIORITY, each.version, POD_TABLE, each.subnet, "lo", network=on_host.network.name)


def _on_bridge(on_host: HostNetwork, each: HostNetworkFamily) -> Iterable[Item]:
    """Masquerade addresses of the node and of OVN on the bridge; nothing answers ARP for OVN's addresses."""
    bridge, network, base = on_host.gateway.bridge_id, on_host.network.name, each.masquerade_subnet
    host = interface(base.network_address + MASQUERADE_HOST, base.prefixlen)
    ovn = base.network_address + MASQUERADE_OVN
    yield Address(bridge, host, deprecated=each.version == 6, network=network)
    for address in (ovn, each.next_hop):
        yield Neighbour(bridge, address, mac_of(address), network)
    own = next((each_own.ip for each_own in on_host.gateway.addresses if each_own.version == each.version), None)
    yield on_host.route(single(ovn), bridge, mtu=on_host.mtu, source=own)
    for services in on_host.services:
        if services.version == each.version:
            yield on_host.route(services, bridge, each.next_hop, mtu=on_host.mtu)


def _ip(version: int) -> str:
    return "ip" if version == 4 else "ip6"


def _management_snat(on_host: HostNetwork) -> NftChain:
    """Packets from the node to pods get the management port's address as source, so that answers return to it."""
    rules = [NftRule((Match("oifname", PORT, negated=True),), "return")]
    for each in on_host.families:
        ip, own = _ip(each.version), str(each.management.ip)
        if on_host.is_routed:
            # pods of other nodes are seen with their own addresses
            foreign = Match("fib saddr type", "local", negated=True)
            rules.append(NftRule((Match("meta nfproto", f"ipv{each.version}"), foreign), "return"))
        rules.append(NftRule((Match(f"{ip} saddr", own),), "return"))
        rules.append(NftRule((), f"snat {ip} to {own}"))
    return NftChain("mgmtport-snat", tuple(rules), MANAGEMENT)


def _sets(on_host: HostNetwork, each: HostNetworkFamily, remote: list[IPNetwork]) -> Iterable[NftSet]:
    if not on_host.is_routed:
        return
    if _translates(on_host):
        own = [single(ip) for ip in on_host.node.own_addresses if ip.version == each.version]
        yield NftSet(_exempt(each.version), each.version, elements_of([*each.clusters, *own]))
    else:
        yield NftSet(_remote(each.version), each.version, elements_of(remote))


def _exempt(version: int) -> str:
    return f"no-overlay-snat-exempt-v{version}"


def _remote(version: int) -> str:
    return f"remote-node-ips-v{version}"


def _local_gateway(on_host: HostNetwork) -> Iterable[NftChain]:
    main, own, udn = "ovn-kube-local-gw-masq", "ovn-kube-pod-subnet-masq", "ovn-kube-udn-masq"
    rules = []
    for each in on_host.families:
        ovn = str(each.masquerade_subnet.network_address + MASQUERADE_OVN)
        rules.append(NftRule((Match(f"{_ip(each.version)} saddr", ovn),), "masquerade"))
    jumps = [NftRule((), f"jump {name}") for name in (own, udn)]
    yield NftChain(main, (*rules, *jumps), LOCAL_GATEWAY)
    yield NftChain(own, tuple(rule for each in on_host.families for rule in _pods(on_host, each)))
    yield NftChain(udn, tuple(rule for each in on_host.families for rule in _user_networks(on_host, each)))


def _pods(on_host: HostNetwork, each: HostNetworkFamily) -> Iterable[NftRule]:
    """Translates packets of the node's pods to the node's address."""
    ip = _ip(each.version)
    source = Match(f"{ip} saddr", str(each.subnet))
    if not on_host.is_routed:
        yield NftRule((source,), "masquerade")
    elif _translates(on_host):
        yield NftRule((source, Match(f"{ip} daddr", f"@{_exempt(each.version)}")), "return")
        yield NftRule((source,), "masquerade")
    else:
        yield NftRule((source, Match(f"{ip} daddr", f"@{_remote(each.version)}")), "masquerade")


def _user_networks(on_host: HostNetwork, each: HostNetworkFamily) -> Iterable[NftRule]:
    """Masquerade addresses of user-defined networks do not leave the node, unless towards services."""
    ip, base = _ip(each.version), each.masquerade_subnet
    reserved = f"{base.network_address}/{base.max_prefixlen - _RESERVED_BITS}"
    for services in on_host.services:
        if services.version == each.version:
            matches = (
                Match(f"{ip} saddr", reserved, negated=True),
                Match(f"{ip} daddr", str(services), negated=True),
                Match(f"{ip} saddr", str(base)),
            )
            yield NftRule(matches, "masquerade")
