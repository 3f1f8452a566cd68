"""A namespaceSelector that selects no namespace is valid, but usually a typing error."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.network_namespaces import namespaces
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.list_text import counted
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.identity.selector_readable import check as unreadable
from ovnguard.validators.network.rules.network_subject import reached


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning when the network selects none of the known namespaces."""
    if not reached(ctx) and not any(unreadable(ctx)):
        known = counted(len(namespaces(ctx.inventory).by_name), "namespace")
        yield FieldError(ErrorType.INVALID, "spec.namespaceSelector", detail=f"selects no namespace, {known} known")


RULE = Rule(
    id="OVNG-L2-020",
    kinds=(CUDN,),
    severity=Severity.WARNING,
    design="OKEP-5193 user-defined networks, namespaceSelector",
    message="a namespaceSelector should select a namespace",
    hint="later namespaces are selected as well; the label kubernetes.io/metadata.name holds the name",
    check=check,
    needs=(Need.NAMESPACES,),
)
