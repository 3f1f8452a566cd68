"""A network stays in deletion while pods use it, and pods created meanwhile get no network."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.pod_index import pods_by_namespace
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity

_CLUSTER = "ClusterUserDefinedNetwork"


def applies(ctx: RuleContext) -> bool:
    """Networks and attachments that OVN-Kubernetes did not render."""
    return not ctx.rendered


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning that names pods of the network."""
    ref, known = ref_of(ctx.object), pods_by_namespace(ctx.inventory)
    places = sorted(known) if ref.kind == _CLUSTER else [ref.namespace]
    found = [
        pod.key
        for namespace in places
        for pod in known.get(namespace, ())
        if not pod.done and f"{namespace}/{ref.name}" in pod.attachments
    ]
    if found:
        # Text: ovn-kubernetes, userdefinednetwork controller
        detail = f"network in use by the following pods: [{shortlist(found)}]"
        yield FieldError(ErrorType.INVALID, "metadata.name", ref.name, detail)


RULE = Rule(
    id="OVNG-L2-033",
    kinds=NETWORK_KINDS,
    severity=Severity.WARNING,
    design="ovn-kubernetes, userdefinednetwork controller",
    message="a network should not be deleted while pods use it",
    hint="delete the pods first",
    applies=applies,
    check=check,
    needs=(Need.PODS,),
    operations=frozenset({"DELETE"}),
)
