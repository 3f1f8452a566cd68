"""The cluster's own subnets must not overlap each other."""

from collections.abc import Iterator

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import (
    CONFIG,
    InternalSubnets,
    hybrid_subnets,
    internal_subnets,
)
from ovnguard.validators.network.declared.parse_paths import subnet_path
from ovnguard.validators.network.parse_values import Reader
from ovnguard.validators.network.rules.addresses.subnet_overlaps import Placed, overlaps_among
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity
from ovnguard.validators.network.transit.used_subnets import (
    CLUSTER,
    HYBRID,
    JOIN,
    MASQUERADE,
    SERVICE,
    TRANSIT,
    Obstacle,
)

# Text: ovn-kubernetes, config.ConfigSubnets.CheckForOverlaps, at the start of every component.
_PREFIX = "illegal network configuration: "


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each of the cluster's subnets that overlaps an earlier one."""
    network = ctx.network
    if network is None:
        return
    own = [Placed(Obstacle(CLUSTER, each.cidr), subnet_path(network, i)) for i, each in enumerate(network.subnets)]
    own += [
        Placed(Obstacle(SERVICE, net), f"spec.serviceNetwork[{i}]") for i, net in enumerate(network.service_subnets)
    ]
    own += [
        Placed(Obstacle(HYBRID, net), f"{CONFIG}.hybridOverlayConfig.hybridClusterNetwork[{i}].cidr")
        for i, net in enumerate(hybrid_subnets(ctx.object, Reader()))
    ]
    yield from overlaps_among([*own, *_internal(internal_subnets(ctx.object, Reader()))], _PREFIX)


def _internal(internal: InternalSubnets) -> Iterator[Placed]:
    defaults = InternalSubnets()
    for kind, field, nets, built_in in (
        (JOIN, "{family}.internalJoinSubnet", internal.join, defaults.join),
        (MASQUERADE, "gatewayConfig.{family}.internalMasqueradeSubnet", internal.masquerade, defaults.masquerade),
        (TRANSIT, "{family}.internalTransitSwitchSubnet", internal.transit, defaults.transit),
    ):
        for net in nets:
            path = field.format(family=f"ipv{net.version}")
            yield Placed(Obstacle(kind, net), f"{CONFIG}.{path}", net not in built_in)


RULE = Rule(
    id="OVNG-NET-003",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.ERROR,
    design="ovn-kubernetes, config.ConfigSubnets.CheckForOverlaps",
    message="pod, service, join, masquerade and transit switch subnets of the cluster must not overlap",
    hint="subnets that are not set have defaults: 100.64.0.0/16, 169.254.0.0/17 and 100.88.0.0/16",
    check=check,
)
