"""A namespace that two primary networks select gets whichever network is processed first."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.network_namespaces import namespace_of, primaries_selecting
from ovnguard.validators.network.cluster_view import NAMESPACE
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning that names the networks."""
    namespace = namespace_of(ctx.object)
    found = [network.source.name for network in primaries_selecting(ctx.inventory, namespace.labels)]
    if len(found) > 1:
        detail = f"selected by several primary networks: {shortlist(sorted(found))}"
        yield FieldError(ErrorType.INVALID, "metadata.labels", detail=detail)


RULE = Rule(
    id="OVNG-L2-034",
    kinds=(NAMESPACE,),
    severity=Severity.WARNING,
    design="OKEP-5193 user-defined networks, namespaceSelector",
    message="only one primary network should select a namespace",
    hint="change the namespace's labels or the selectors",
    check=check,
    needs=(Need.NETWORKS,),
)
