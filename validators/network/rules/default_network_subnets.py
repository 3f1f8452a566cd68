"""The cluster's own subnets must not overlap each other."""

from collections.abc import Iterator

from validators.field import FieldError
from validators.network.parse_operator import CONFIG, internal_subnets
from validators.network.parse_paths import join_path, subnet_path
from validators.network.parse_values import Reader
from validators.network.rules.base import Context, Rule, Severity
from validators.network.rules.overlaps import Placed, overlaps_among
from validators.network.transit import CLUSTER, JOIN, MASQUERADE, SERVICE, TRANSIT, Obstacle

# Text: ovn-kubernetes, config.ConfigSubnets.CheckForOverlaps, at the start of every component.
_PREFIX = "illegal network configuration: "
_FAMILY = {4: "ipv4", 6: "ipv6"}


def applies(ctx: Context) -> bool:
    """The default network."""
    return ctx.network is not None and ctx.network.is_default


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each of the cluster's subnets that overlaps one named before it."""
    network = ctx.network
    if network is None:
        return
    internal = internal_subnets(ctx.object, Reader())
    own = [Placed(Obstacle(CLUSTER, each.cidr), subnet_path(network, i)) for i, each in enumerate(network.subnets)]
    own += [
        Placed(Obstacle(SERVICE, net), f"spec.serviceNetwork[{i}]") for i, net in enumerate(network.service_subnets)
    ]
    own += [Placed(Obstacle(JOIN, net), join_path(network, net.version)) for net in internal.join]
    own += [
        Placed(Obstacle(MASQUERADE, net), f"{CONFIG}.gatewayConfig.{_FAMILY[net.version]}.internalMasqueradeSubnet")
        for net in internal.masquerade
    ]
    own += [
        Placed(Obstacle(TRANSIT, net), f"{CONFIG}.{_FAMILY[net.version]}.internalTransitSwitchSubnet")
        for net in internal.transit
    ]
    yield from overlaps_among(own, _PREFIX)


RULE = Rule(
    id="OVNG-NET-003",
    severity=Severity.ERROR,
    design="ovn-kubernetes, config.ConfigSubnets.CheckForOverlaps",
    message="pod, service, join, masquerade and transit switch subnets of the cluster must not overlap",
    hint="subnets that are not set have defaults: 100.64.0.0/16, 169.254.0.0/17 and 100.88.0.0/16",
    applies=applies,
    check=check,
)
