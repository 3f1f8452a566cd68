"""An EgressIP or an EgressService has no effect in a namespace whose network has no overlay.

Packets leave with the address of the pod or of the node, not with that of the EgressIP or of the Service. Upstream
accepts these objects and reports nothing, and firewalls see addresses that they do not expect. A label of a namespace
may also bring the two together: an EgressIP selects the namespace, or an EgressService is in it, and a no-overlay
network serves it.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.network_namespaces import namespace_of
from ovnguard.validators.network.cluster.no_overlay import serving, transport_path
from ovnguard.validators.network.cluster_view import (
    CUDN,
    EGRESS_IP,
    EGRESS_SERVICE,
    NAMESPACE,
    OPERATOR_NETWORK,
    GroupKind,
)
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.no_overlay.affected_namespaces import (
    first_of,
    idle_for,
    in_no_overlay,
    is_in,
    selected_by_egress_ip,
)

_DESIGN: Final = "OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)"


class _Egress(NamedTuple):
    """A kind of objects: the namespaces that they apply to, and the form of an object and its namespace in texts."""

    kind: GroupKind
    plural: str
    applies_to: Callable[[JsonObject, JsonObject], bool]
    shown: str

    def check_network(self, ctx: RuleContext) -> Iterator[FieldError]:
        """One warning at the transport."""
        objects = ctx.inventory.objects(self.kind) or ()
        found = [self.shown.format(name=name, space=space) for name, space in idle_for(ctx, objects, self.applies_to)]
        if found:
            detail = f"{self.plural} have no effect on a no-overlay network: {first_of(found)}"
            yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", detail)

    def check_namespace(self, ctx: RuleContext) -> Iterator[FieldError]:
        """One warning at the name, because both a present and an absent label may be the reason."""
        objects = ctx.inventory.objects(self.kind) or ()
        found = sorted(ref_of(each).name for each in objects if self.applies_to(each, ctx.object))
        network = serving(ctx.inventory, namespace_of(ctx.object).labels) if found else ""
        if network:
            detail = f"{self.plural} have no effect in a namespace of no-overlay network {network}: {first_of(found)}"
            yield FieldError(ErrorType.INVALID, "metadata.name", ref_of(ctx.object).name, detail)


_IPS: Final = _Egress(EGRESS_IP, "EgressIPs", selected_by_egress_ip, "{name} (namespace {space})")
_SERVICES: Final = _Egress(EGRESS_SERVICE, "EgressServices", is_in, "{space}/{name}")


def check_ip(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the selector."""
    found = [f"{space} (network {network})" for space, network in in_no_overlay(ctx, selected_by_egress_ip)]
    if found:
        detail = f"has no effect in namespaces of no-overlay networks: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, "spec.namespaceSelector", detail=detail)


def check_service(ctx: RuleContext) -> Iterator[FieldError]:
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


_RULE_IP = Rule(
    id="OVNG-NET-027",
    kinds=(EGRESS_IP,),
    severity=Severity.WARNING,
    design=_DESIGN,
    message="an EgressIP has no effect on pods of a no-overlay network",
    hint="select only namespaces of overlay networks",
    check=check_ip,
    needs=(Need.NAMESPACES, Need.TRANSPORTS),
)
_RULE_IP_NETWORK = Rule(
    id="OVNG-NET-026",
    kinds=(OPERATOR_NETWORK, CUDN),
    transport=Transport.NO_OVERLAY,
    severity=Severity.WARNING,
    design=_DESIGN,
    message="EgressIPs that select namespaces of a no-overlay network have no effect",
    hint="keep the overlay for namespaces whose pods require egress addresses",
    check=_IPS.check_network,
    needs=(Need.EGRESS_IPS, Need.NAMESPACES),
)
_RULE_IP_NAMESPACE = Rule(
    id="OVNG-NET-054",
    kinds=(NAMESPACE,),
    severity=Severity.WARNING,
    design=_DESIGN,
    message="EgressIPs have no effect in a namespace of a no-overlay network",
    hint="use labels that the EgressIPs do not select, or a network with an overlay",
    check=_IPS.check_namespace,
    needs=(Need.EGRESS_IPS, Need.TRANSPORTS),
)
_RULE_SERVICE = Rule(
    id="OVNG-NET-029",
    kinds=(EGRESS_SERVICE,),
    severity=Severity.WARNING,
    design=_DESIGN,
    message="an EgressService has no effect in a namespace of a no-overlay network",
    hint="use it in namespaces of overlay networks",
    check=check_service,
    needs=(Need.NAMESPACES, Need.TRANSPORTS),
)
_RULE_SERVICE_NETWORK = Rule(
    id="OVNG-NET-028",
    kinds=(OPERATOR_NETWORK, CUDN),
    transport=Transport.NO_OVERLAY,
    severity=Severity.WARNING,
    design=_DESIGN,
    message="EgressServices in namespaces of a no-overlay network have no effect",
    hint="keep the overlay for namespaces with EgressServices",
    check=_SERVICES.check_network,
    needs=(Need.EGRESS_SERVICES, Need.NAMESPACES),
)
_RULE_SERVICE_NAMESPACE = Rule(
    id="OVNG-NET-055",
    kinds=(NAMESPACE,),
    severity=Severity.WARNING,
    design=_DESIGN,
    message="EgressServices have no effect in a namespace of a no-overlay network",
    hint="keep namespaces with EgressServices in a network with an overlay",
    check=_SERVICES.check_namespace,
    needs=(Need.EGRESS_SERVICES, Need.TRANSPORTS),
)


RULES = (
    _RULE_IP,
    _RULE_IP_NETWORK,
    _RULE_IP_NAMESPACE,
    _RULE_SERVICE,
    _RULE_SERVICE_NETWORK,
    _RULE_SERVICE_NAMESPACE,
)
