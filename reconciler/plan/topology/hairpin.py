"""A pod that reaches itself through a service: what its own load balancer sends back has a fixed source address.

Source: ovn-kubernetes ``pkg/ovn/base_network_controller_policy.go`` and ``pkg/config/config.go``.
"""

from collections.abc import Iterable
from typing import Final

from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import DATABASE_ID, Column, Row
from ovnguard.reconciler.plan.topology.common_rows import ACL_METER, match_name, owner_ids
from ovnguard.reconciler.plan.topology.database_ids import NAME, database_ids
from ovnguard.validators.network.addresses.addressing import MASQUERADE_HAIRPIN
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network

_PRIORITY: Final = 1001
_TIER: Final = 2


def hairpin_addresses(masquerade_subnets: Iterable[IPNetwork]) -> tuple[IPAddress, ...]:
    """Return these source addresses, of both families in every cluster."""
    return tuple(subnet.network_address + MASQUERADE_HAIRPIN for subnet in masquerade_subnets)


def hairpin_acls(network: Network, node: Node, masquerade_subnets: Iterable[IPNetwork]) -> tuple[Row, ...]:
    """Return the ACLs that let such packets pass despite any NetworkPolicy, from the pod and to it.

    They name the families of the cluster, which are those of every node's bridge.
    """
    families = {each.version for each in node.gateway.addresses} if node.gateway else ()
    found = (each for each in hairpin_addresses(masquerade_subnets) if each.version in families)
    sources = [f"{match_name(each.version)}.src == {each}" for each in found]
    match = sources[0] if len(sources) == 1 else f"({' || '.join(sources)})"
    return (
        _acl(network, match, "Egress", "from-lport", {"apply-after-lb": "true"}),
        _acl(network, match, "Ingress", "to-lport", {}),
    )


def _acl(network: Network, match: str, policy: str, direction: str, options: dict[str, str]) -> Row:
    controller = Names(network.name).controller
    ids = database_ids(controller, "NetpolDefault", {NAME: "allow-hairpinning", "direction": policy})
    columns: dict[str, Column] = {
        "direction": direction,
        "priority": _PRIORITY,
        "match": match,
        "action": "allow-related",
        "meter": (ACL_METER,),
        "tier": _TIER,
        "options": options,
        "external_ids": ids | owner_ids(network),
    }
    return new_row("ACL", columns, ids[DATABASE_ID])
