"""An EgressIP has no effect on pods of a no-overlay network: they leave with their own or the node's address.

Upstream accepts both objects and says nothing, so packets leave with an address that firewalls do not expect. A label
of a namespace may also bring the two together: an EgressIP selects it, and a no-overlay network serves it.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.network_namespaces import namespace_of
from validators.network.cluster.no_overlay import serving, transport_path
from validators.network.cluster_view import CUDN, EGRESS_IP, NAMESPACE, OPERATOR_NETWORK
from validators.network.declared.parse_operator import ref_of
from validators.network.model import Transport
from validators.network.rules.base import Need, Rule, RuleContext, Severity
from validators.network.rules.no_overlay.affected_namespaces import (
    first_of,
    idle_for,
    in_no_overlay,
    selected_by_egress_ip,
)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the selector."""
    found = [f"{space} (network {network})" for space, network in in_no_overlay(ctx, selected_by_egress_ip)]
    if found:
        detail = f"has no effect in namespaces of no-overlay networks: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, "spec.namespaceSelector", detail=detail)


_RULE = Rule(
    id="OVNG-NET-027",
    kinds=(EGRESS_IP,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="an EgressIP has no effect on pods of a no-overlay network",
    hint="select only namespaces of overlay networks",
    check=check,
    needs=(
        Need.NAMESPACES,
        Need.TRANSPORTS,
    ),
)


def check_network(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the transport."""
    objects = ctx.inventory.objects(EGRESS_IP) or ()
    found = [f"{name} (namespace {space})" for name, space in idle_for(ctx, objects, selected_by_egress_ip)]
    if found:
        detail = f"EgressIPs have no effect on a no-overlay network: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", detail)


_RULE_NETWORK = Rule(
    id="OVNG-NET-026",
    kinds=(OPERATOR_NETWORK, CUDN),
    transport=Transport.NO_OVERLAY,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="EgressIPs that select namespaces of a no-overlay network have no effect",
    hint="keep the overlay for namespaces whose pods require egress addresses",
    check=check_network,
    needs=(
        Need.EGRESS_IPS,
        Need.NAMESPACES,
    ),
)


def check_namespace(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the name, because both a present and an absent label may be the reason."""
    objects = ctx.inventory.objects(EGRESS_IP) or ()
    found = sorted(ref_of(each).name for each in objects if selected_by_egress_ip(each, ctx.object))
    network = serving(ctx.inventory, namespace_of(ctx.object).labels) if found else ""
    if network:
        detail = f"EgressIPs have no effect in a namespace of no-overlay network {network}: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, "metadata.name", ref_of(ctx.object).name, detail)


_RULE_NAMESPACE = Rule(
    id="OVNG-NET-054",
    kinds=(NAMESPACE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="EgressIPs have no effect in a namespace of a no-overlay network",
    hint="use labels that the EgressIPs do not select, or a network with an overlay",
    check=check_namespace,
    needs=(Need.EGRESS_IPS, Need.TRANSPORTS),
)


RULES = (_RULE, _RULE_NETWORK, _RULE_NAMESPACE)
