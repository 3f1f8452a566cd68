"""The platform's own namespaces belong on the default network, where nodes and the API server reach their pods.

A namespaceSelector may also select the platform's own namespaces; an empty one selects all of them.
"""

from collections.abc import Iterator
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.network.cluster_view import CUDN, NAD, UDN
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.model import Role
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import reached

_PLATFORM: Final = lazy_pattern(r"default|openshift|(?:kube|openshift)-.*")


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the namespace."""
    network = ctx.own_network
    namespace = "" if network is None else network.source.namespace
    if is_platform(namespace):
        detail = "pods of the platform's namespaces stay on the default network"
        yield FieldError(ErrorType.INVALID, "metadata.namespace", namespace, detail)


def is_platform(namespace: str) -> bool:
    """Whether a namespace is the platform's own: default, kube-* or openshift-*."""
    return _PLATFORM.fullmatch(namespace) is not None


_RULE = Rule(
    id="OVNG-L2-021",
    kinds=(UDN, NAD),
    role=Role.PRIMARY,
    own_network=True,
    severity=Severity.WARNING,
    design="OpenShift documentation, 'About user-defined networks'",
    message="a primary network should not be in a namespace of the platform",
    hint="create the network in your own namespace",
    check=check,
    needs=(Need.NAMESPACE,),
)


def check_selected(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning that names the selected platform namespaces."""
    found = [each.name for each in reached(ctx) if is_platform(each.name)]
    if found:
        detail = f"pods of the platform's namespaces stay on the default network: {shortlist(found)}"
        yield FieldError(ErrorType.INVALID, "spec.namespaceSelector", detail=detail)


_RULE_SELECTED = _RULE._replace(
    id="OVNG-L2-022",
    kinds=(CUDN,),
    message="a primary network should not select namespaces of the platform",
    hint="select namespaces by your own label, or by kubernetes.io/metadata.name",
    check=check_selected,
    needs=(Need.NAMESPACES,),
)


RULES = (_RULE, _RULE_SELECTED)
