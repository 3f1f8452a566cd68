"""MetalLB draws the traffic of a Service to the nodes that its speakers run on; those need the Service's network.

With dynamic allocation, a node has the network only while it runs a pod of the network or hosts an EgressIP for it: a
DaemonSet in one of its namespaces, on the nodes of the speakers, ensures that. The rule ignores taints and pod
affinity.

MetalLB draws the traffic of a Service to the nodes that its speakers run on; those need the Service's network.

Once dynamic allocation is on, the nodes without a pod of the network lose it.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.network_namespaces import namespaces
from ovnguard.validators.network.cluster_view import SERVICE
from ovnguard.validators.network.list_text import counted, shortlist
from ovnguard.validators.network.ovnkube_settings.active_nodes import active_nodes, speaker_nodes, unreached_services
from ovnguard.validators.network.ovnkube_settings.allocation import allocation, effective
from ovnguard.validators.network.ovnkube_settings.option_names import DYNAMIC
from ovnguard.validators.network.parse_values import dig, text_of
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.dynamic.ovnkube_rule import allocates, ovnkube_rule


def applies_service(ctx: RuleContext) -> bool:
    """LoadBalancer Services while networks are allocated dynamically."""
    if dig(ctx.object, "spec", "type") != "LoadBalancer":
        return False
    known = allocation(ctx.inventory)
    return known is not None and known.is_dynamic


def check_service(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the type, with the first of the nodes."""
    name = text_of(dig(ctx.object, "metadata", "namespace"))
    namespace = namespaces(ctx.inventory).by_name.get(name)
    speakers = speaker_nodes(ctx.inventory)
    if namespace is None or not namespace.has_primary_label or not speakers:
        return
    inactive = sorted(speakers - active_nodes(ctx.inventory, name))
    if inactive:
        yield FieldError(
            ErrorType.INVALID, "spec.type", "LoadBalancer", f"{_RULE_SERVICE.message}: {shortlist(inactive)}"
        )


_RULE_SERVICE = Rule(
    id="OVNG-DYN-009",
    kinds=(SERVICE,),
    severity=Severity.WARNING,
    design="OKEP-5552, 'Risks, Known Limitations and Mitigations'",
    message="MetalLB speakers run on nodes without the Service's network",
    hint="run a DaemonSet of the network on the nodes of the speakers, or the speakers on the nodes of the network",
    applies=applies_service,
    check=check_service,
    needs=(
        Need.NODES,
        Need.NAMESPACES,
        Need.NETWORKS,
        Need.PODS,
    ),
)


def check_workload(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning, with the first of the Services."""
    services = unreached_services(ctx.inventory)
    for each in effective(ctx) if services else ():
        detail = f"{_RULE_WORKLOAD.message}: {shortlist(services)}"
        public = f"{_RULE_WORKLOAD.message}: {counted(len(services), 'Service')}"
        yield FieldError(ErrorType.INVALID, each.by_option[DYNAMIC].field, detail=detail, public=public)
        return


_RULE_WORKLOAD = ovnkube_rule(
    id="OVNG-DYN-011",
    severity=Severity.WARNING,
    design="OKEP-5552, 'Risks, Known Limitations and Mitigations'",
    message="MetalLB speakers run on nodes without the networks of load-balanced Services",
    hint="run a DaemonSet of each network on the nodes of the speakers, or the speakers on its nodes",
    applies=allocates,
    check=check_workload,
    needs=(
        Need.SERVICES,
        Need.NODES,
        Need.NAMESPACES,
        Need.NETWORKS,
        Need.PODS,
    ),
)


RULES = (_RULE_SERVICE, _RULE_WORKLOAD)
