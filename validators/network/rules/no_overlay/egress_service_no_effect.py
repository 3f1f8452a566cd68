"""An EgressService has no effect in a namespace whose network has no overlay.

An EgressService cannot give outbound packets of a no-overlay network the address of their Service.

The labels of a namespace may place it on a no-overlay network: EgressServices in it then have no effect.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.network_namespaces import namespace_of
from validators.network.cluster.no_overlay import serving, transport_path
from validators.network.cluster_view import CUDN, EGRESS_SERVICE, NAMESPACE, OPERATOR_NETWORK
from validators.network.declared.parse_operator import ref_of
from validators.network.model import Transport
from validators.network.rules.base import Need, Rule, RuleContext, Severity
from validators.network.rules.no_overlay.affected_namespaces import first_of, idle_for, in_no_overlay, is_in


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the namespace."""
    for space, network in in_no_overlay(ctx, is_in):
        text = "has no effect in a namespace of"
        yield FieldError(
            ErrorType.INVALID,
            "metadata.namespace",
            space,
            f"{text} no-overlay network {network}",
            public=f"{text} a no-overlay network",
        )


_RULE = Rule(
    id="OVNG-NET-029",
    kinds=(EGRESS_SERVICE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="an EgressService has no effect in a namespace of a no-overlay network",
    hint="use it in namespaces of overlay networks",
    check=check,
    needs=(
        Need.NAMESPACES,
        Need.TRANSPORTS,
    ),
)


def check_network(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the transport."""
    objects = ctx.inventory.objects(EGRESS_SERVICE) or ()
    found = [f"{space}/{name}" for name, space in idle_for(ctx, objects, is_in)]
    if found:
        detail = f"EgressServices have no effect on a no-overlay network: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", detail)


_RULE_NETWORK = Rule(
    id="OVNG-NET-028",
    kinds=(OPERATOR_NETWORK, CUDN),
    transport=Transport.NO_OVERLAY,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="EgressServices in namespaces of a no-overlay network have no effect",
    hint="keep the overlay for namespaces with EgressServices",
    check=check_network,
    needs=(
        Need.EGRESS_SERVICES,
        Need.NAMESPACES,
    ),
)


def check_namespace(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the name."""
    objects = ctx.inventory.objects(EGRESS_SERVICE) or ()
    found = sorted(ref_of(each).name for each in objects if is_in(each, ctx.object))
    network = serving(ctx.inventory, namespace_of(ctx.object).labels) if found else ""
    if network:
        detail = f"EgressServices have no effect in a namespace of no-overlay network {network}: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, "metadata.name", ref_of(ctx.object).name, detail)


_RULE_NAMESPACE = Rule(
    id="OVNG-NET-055",
    kinds=(NAMESPACE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="EgressServices have no effect in a namespace of a no-overlay network",
    hint="keep namespaces with EgressServices in a network with an overlay",
    check=check_namespace,
    needs=(Need.EGRESS_SERVICES, Need.TRANSPORTS),
)


RULES = (_RULE, _RULE_NETWORK, _RULE_NAMESPACE)
