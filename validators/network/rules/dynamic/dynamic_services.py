"""With dynamic allocation, nodes without a pod of a network lack the network and do not forward traffic for its
services.

Services that take traffic on every node (NodePort, LoadBalancer, external IPs with externalTrafficPolicy Cluster) fail
on those nodes once dynamic allocation is on.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.external_services import exposed_services
from ovnguard.validators.network.list_text import counted, shortlist
from ovnguard.validators.network.ovnkube_settings.allocation import effective
from ovnguard.validators.network.ovnkube_settings.option_names import DYNAMIC
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.dynamic.ovnkube_rule import allocates, ovnkube_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning, with the first of the Services."""
    services = exposed_services(ctx.inventory)
    for each in effective(ctx) if services else ():
        detail = f"{RULE.message}: {shortlist(services)}"
        public = f"{RULE.message}: {counted(len(services), 'Service')}"
        yield FieldError(ErrorType.INVALID, each.by_option[DYNAMIC].field, detail=detail, public=public)
        return


RULE = ovnkube_rule(
    id="OVNG-DYN-008",
    severity=Severity.WARNING,
    design="OKEP-5552, 'Risks, Known Limitations and Mitigations'",
    message="nodes without a pod of the network do not answer for Services with externalTrafficPolicy Cluster",
    hint="set externalTrafficPolicy: Local on these Services",
    applies=allocates,
    check=check,
    needs=(
        Need.SERVICES,
        Need.NAMESPACES,
    ),
)
