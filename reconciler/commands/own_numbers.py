"""What is a node's own in texts about it: its addresses and their MACs, its subnets, its chassis."""

from collections.abc import Iterator

from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.numbers.families import join_subnets, numbered
from ovnguard.reconciler.plan.render.folding import ADDRESS, CHASSIS, SUBNET, Owns
from ovnguard.validators.network.addresses.addressing import AddressError, mac_of, subnet_addresses
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress


def own_numbers(node: Node, desired: DesiredState) -> Owns:
    """Return the texts of ``node``, each with the word that takes its place: those of the machine, then all."""
    macs = (node.gateway.mac,) if node.gateway else ()
    chassis = {node.chassis_id: CHASSIS} if node.chassis_id else {}
    machine = dict.fromkeys((*map(str, node.own_addresses), *macs), ADDRESS) | chassis
    subnets = {str(each): SUBNET for own in node.host_subnets.values() for each in own}
    planned = dict.fromkeys(_planned_addresses(node, desired))
    return machine, {**machine, **subnets, **dict.fromkeys((*map(str, planned), *map(mac_of, planned)), ADDRESS)}


def _planned_addresses(node: Node, desired: DesiredState) -> Iterator[IPAddress]:
    """Those that follow from the node's id, and those in its subnets."""
    settings, networks = desired.settings, desired.judged.ready
    joins = dict.fromkeys(subnet for network in networks for subnet in join_subnets(network, settings))
    found = numbered(node.node_id, (*joins, *settings.transit_subnets)) if node.node_id is not None else ()
    yield from (each.ip for each in (*node.transit_addresses, *(() if isinstance(found, AddressError) else found)))
    for subnet in (each for own in node.host_subnets.values() for each in own):
        share = subnet_addresses(subnet)
        if not isinstance(share, AddressError):
            yield from (share.gateway.ip, share.management.ip)
