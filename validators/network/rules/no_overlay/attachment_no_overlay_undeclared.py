"""Nothing advertises the routes of a no-overlay network that a NetworkAttachmentDefinition declares.

Upstream reads the configuration, but supports no-overlay mode only for the default network and for
ClusterUserDefinedNetworks: a RouteAdvertisements selects no others, and the managed fabric serves no others. Pods on
different nodes then reach each other only over routes from another source. The rule warns, because upstream accepts the
object. Other warnings about no-overlay networks (no RouteAdvertisements, platform, single node, EgressIP) follow from
this one and are not repeated; OVNG-NET-014 still checks encryption.
"""

from collections.abc import Iterator
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.model import Role, Topology, Transport
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

_SUPPORTED: Final = (Transport.NO_OVERLAY, Topology.LAYER3, Role.PRIMARY)


def applies(ctx: RuleContext) -> bool:
    """Attachments that no controller rendered, with a transport that their topology allows."""
    network = ctx.own_network
    if network is None or network.source.kind != "NetworkAttachmentDefinition":
        return False
    return (network.transport, network.topology, network.role) == _SUPPORTED


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the configuration."""
    yield FieldError(ErrorType.INVALID, CONFIG_FIELD, dig(ctx.object, "spec", "config"), RULE.message)


RULE = Rule(
    id="OVNG-NET-051",
    kinds=(NAD,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, no-overlay mode, limitations; RouteAdvertisements, networkSelectors",
    message="only networks of ClusterUserDefinedNetworks support no-overlay mode: no RouteAdvertisements "
    "selects this network",
    hint="declare a ClusterUserDefinedNetwork with transport NoOverlay; OVN-Kubernetes creates the attachments",
    applies=applies,
    check=check,
)
