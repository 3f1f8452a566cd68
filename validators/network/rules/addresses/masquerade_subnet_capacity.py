"""Every primary user-defined network uses two addresses of the masquerade subnet, which follow from its network id.

A network without a recorded id may get any id up to 4095, so the subnet needs addresses for that id.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.addressing import MAX_NETWORK_ID, last_masquerade_id, masquerade_holds
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN
from ovnguard.validators.network.declared.parse_paths import subnets_path
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Primary networks other than the default one."""
    return ctx.network is not None and not ctx.network.is_default


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each masquerade subnet without addresses for the network's id, or for the highest id that it may
    get.
    """
    network = ctx.network
    if network is None:
        return
    number = network.network_id or MAX_NETWORK_ID
    for net in ctx.facts.masquerade_subnets:
        if not masquerade_holds(net, number) and network.has_family(net.version):
            shown = ",".join(str(subnet.cidr) for subnet in network.subnets)
            last = last_masquerade_id(net)
            room = f"addresses for network ids up to {last}" if last else "no addresses for any network id"
            wanted = f"has {number}" if network.network_id else f"may be given any up to {number}"
            detail = f'masquerade subnet "{net}" of the cluster has {room}, the network {wanted}'
            yield FieldError(ErrorType.INVALID, subnets_path(network), shown, detail)


RULE = Rule(
    id="OVNG-NET-012",
    kinds=(OPERATOR_NETWORK, CUDN, UDN, NAD),
    topologies=(Topology.LAYER2, Topology.LAYER3),
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="ovn-kubernetes, masquerade addresses of user-defined networks",
    message="the cluster's masquerade subnet must have addresses for the network",
    hint=(
        "set gatewayConfig.ipv4.internalMasqueradeSubnet of the operator Network to a /18 or larger, IPv6 to "
        "a /114 or larger"
    ),
    applies=applies,
    check=check,
)
