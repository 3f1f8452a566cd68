"""A namespace has one primary network: a pod has one default route.

Upstream keeps the first one and reports an error on the other, which never gets a pod.

A namespace that a ClusterUserDefinedNetwork selects cannot have another primary network.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.network_namespaces import primaries
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.list_text import and_elsewhere
from ovnguard.validators.network.model import Network, Role
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import namespace_path, other_primaries, reached, selects


def applies(ctx: RuleContext) -> bool:
    """Primary networks of one namespace."""
    return not selects(ctx)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error about another primary network in the namespace; networks that select it need more facts."""
    network = ctx.own_network
    if network is None:
        return
    namespace = network.source.namespace
    other = next((each for each in other_primaries(ctx, namespace) if each.source.kind != CUDN.kind), None)
    if other is not None:
        yield already_there(ctx, network, namespace, other)


def already_there(ctx: RuleContext, network: Network, namespace: str, other: Network, more: str = "") -> FieldError:
    """Return the error. Text: ovn-kubernetes, userdefinednetwork controller."""
    place = f'namespace "{namespace}"' if namespace else "the namespace of the manifests that name none"
    detail = f'primary network already exist in {place}: "{other.source.name}"{more}'
    return FieldError(ErrorType.INVALID, namespace_path(ctx, network), namespace or network.source.name, detail)


_RULE = Rule(
    id="OVNG-L2-015",
    kinds=NETWORK_KINDS,
    role=Role.PRIMARY,
    own_network=True,
    severity=Severity.ERROR,
    design="OKEP-5193 user-defined networks, primary networks",
    message="a namespace must have one primary network",
    hint="make this network secondary, or delete the other network when no pod uses it",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)


def check_selected(ctx: RuleContext) -> Iterator[FieldError]:
    """One error about the namespaces that have another primary network."""
    network = ctx.own_network
    if network is None:
        return
    if not selects(ctx):
        namespace = network.source.namespace
        other = next((each for each in other_primaries(ctx, namespace) if each.source.kind == CUDN.kind), None)
        if other is not None:
            yield already_there(ctx, network, namespace, other)
        return
    held = primaries(ctx.inventory)
    taken = [each.name for each in reached(ctx) if each.name in held and other_primaries(ctx, each.name)]
    if taken:
        yield already_there(ctx, network, taken[0], other_primaries(ctx, taken[0])[0], and_elsewhere(taken))


_RULE_SELECTED = _RULE._replace(
    id="OVNG-L2-016",
    kinds=NETWORK_KINDS,
    message="a namespace must have one primary network, also when a namespaceSelector selects it",
    hint="let the selectors of primary ClusterUserDefinedNetworks select different namespaces",
    applies=None,
    check=check_selected,
    needs=(Need.NETWORKS, Need.NAMESPACES, Need.NAMESPACE),
)


RULES = (_RULE, _RULE_SELECTED)
