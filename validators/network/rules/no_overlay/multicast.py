"""Multicast between pods depends on the overlay: in a no-overlay network it stays within each node.

A namespace of a no-overlay network may enable multicast, but does not get it between nodes.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.network_namespaces import namespace_of
from ovnguard.validators.network.cluster.no_overlay import served_namespaces, serving, transport_path
from ovnguard.validators.network.cluster.policies import MULTICAST, has_multicast
from ovnguard.validators.network.cluster_view import CUDN, NAMESPACE, OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.no_overlay.affected_namespaces import first_of


def check_network(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the transport."""
    spaces = served_namespaces(ctx.object, ctx.inventory)
    found = [ref_of(space).name for space in spaces if has_multicast(space)]
    if found:
        detail = f"multicast does not work in a no-overlay network, but is on in namespaces: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", detail)


_RULE_NETWORK = Rule(
    id="OVNG-NET-030",
    kinds=(OPERATOR_NETWORK, CUDN),
    transport=Transport.NO_OVERLAY,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="multicast does not work in namespaces of a no-overlay network",
    hint="keep the overlay for namespaces that use multicast",
    check=check_network,
    needs=(Need.NAMESPACES,),
)


def applies_namespace(ctx: RuleContext) -> bool:
    """Namespaces with multicast."""
    return has_multicast(ctx.object)


def check_namespace(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the annotation."""
    network = serving(ctx.inventory, namespace_of(ctx.object).labels)
    if network:
        detail = f"multicast does not work in no-overlay network {network}"
        yield FieldError(ErrorType.INVALID, f"metadata.annotations[{MULTICAST}]", "true", detail)


_RULE_NAMESPACE = Rule(
    id="OVNG-NET-031",
    kinds=(NAMESPACE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="multicast does not work in a namespace of a no-overlay network",
    hint="remove the annotation, or use a namespace of an overlay network",
    applies=applies_namespace,
    check=check_namespace,
    needs=(Need.TRANSPORTS,),
)


RULES = (_RULE_NETWORK, _RULE_NAMESPACE)
