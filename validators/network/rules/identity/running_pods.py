"""Only pods that start after a primary network exists join it: running pods stay on the default network."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.pod_index import pods_by_namespace
from ovnguard.validators.network.list_text import counted, shortlist
from ovnguard.validators.network.model import Role
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import namespace_path, reached


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning about pods in the network's namespaces that are not on it."""
    network = ctx.own_network
    if network is None:
        return
    known = pods_by_namespace(ctx.inventory)
    attached = network.source.name
    found = [
        pod.key
        for namespace in reached(ctx)
        for pod in known.get(namespace.name, ())
        if pod.runs and not pod.host_network and f"{namespace.name}/{attached}" not in pod.attachments
    ]
    if found:
        runs = "runs" if len(found) == 1 else "run"
        detail = (
            f"{counted(len(found), 'pod')} {runs} already and will not be attached to the network: {shortlist(found)}"
        )
        yield FieldError(ErrorType.INVALID, namespace_path(ctx, network), detail=detail)


RULE = Rule(
    id="OVNG-L2-023",
    kinds=NETWORK_KINDS,
    own_network=True,
    role=Role.PRIMARY,
    severity=Severity.WARNING,
    design="OKEP-5193 user-defined networks, primary networks",
    message="pods that already run are not attached to a new primary network",
    hint="create the network before the workloads, or restart them",
    check=check,
    needs=(Need.NAMESPACES, Need.PODS, Need.NAMESPACE),
)
