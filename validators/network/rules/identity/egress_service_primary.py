"""OVN-Kubernetes acts on the default-network addresses of the pods behind an EgressService, whatever their network.

Pods of a primary network send nothing from these addresses, so their packets leave without the service's address. No
condition and no event reports it.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primaries
from ovnguard.validators.network.cluster_view import EGRESS_SERVICE
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.model import Role, Transport
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import namespace_path, reached

_DESIGN = "ovn-kubernetes, pkg/ovn/controller/egressservice: services of the default network"


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the namespace."""
    name = ref_of(ctx.object).namespace
    space = namespaces(ctx.inventory).by_name.get(name)
    networks = primaries(ctx.inventory).get(name, ()) if space is not None and space.has_primary_label else ()
    # without an overlay, another rule says so
    if networks and networks[0].transport is not Transport.NO_OVERLAY:
        text = "has no effect on pods of"
        yield FieldError(
            ErrorType.INVALID,
            "metadata.namespace",
            name,
            f"{text} primary network {networks[0].name}",
            public=f"{text} a primary network",
        )


_RULE = Rule(
    id="OVNG-NET-062",
    kinds=(EGRESS_SERVICE,),
    severity=Severity.WARNING,
    design=_DESIGN,
    message="an EgressService has no effect on pods of a primary network",
    hint="use an EgressIP, or a namespace of the default network",
    check=check,
    needs=(Need.NAMESPACES, Need.NETWORKS),
)


def check_network(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning about the EgressServices in the network's namespaces."""
    network = ctx.own_network
    spaces = {each.name for each in reached(ctx) if each.has_primary_label}
    refs = sorted(map(ref_of, ctx.inventory.objects(EGRESS_SERVICE) or ()))
    found = [f"{ref.namespace}/{ref.name}" for ref in refs if ref.namespace in spaces]
    if network is not None and found and network.transport is not Transport.NO_OVERLAY:
        detail = f"EgressServices have no effect on pods of a primary network: {shortlist(found)}"
        yield FieldError(ErrorType.INVALID, namespace_path(ctx, network), found[0], detail)


_RULE_NETWORK = Rule(
    id="OVNG-NET-063",
    kinds=NETWORK_KINDS,
    own_network=True,
    role=Role.PRIMARY,
    severity=Severity.WARNING,
    design=_DESIGN,
    message="EgressServices in namespaces of a primary network have no effect",
    hint="use EgressIPs, or keep services with an EgressService in namespaces of the default network",
    check=check_network,
    needs=(Need.EGRESS_SERVICES, Need.NAMESPACES, Need.NAMESPACE),
)


RULES = (_RULE, _RULE_NETWORK)
