"""A network's attachment has the network's name in each of its namespaces; any other attachment of that name blocks it.

Upstream never adopts an attachment that it did not render.

A ClusterUserDefinedNetwork renders an attachment of its name in every namespace that it selects.

The name must be free there; a UserDefinedNetwork of the same name renders one as well.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.network_namespaces import attachments, namespaced_networks
from ovnguard.validators.network.cluster.ownership import is_foreign
from ovnguard.validators.network.cluster_view import CUDN, NAD, UDN
from ovnguard.validators.network.list_text import and_elsewhere
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import reached


def applies(ctx: RuleContext) -> bool:
    """Networks with a name that will not be generated."""
    return ctx.has_final_name


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error about an attachment that has the name of this network's, or about the network whose attachment would
    lose its name.
    """
    network = ctx.own_network
    if network is None:
        return
    source, namespace = network.source, network.source.namespace
    if source.kind == "UserDefinedNetwork":
        held = attachments(ctx.inventory).get(source.name, {}).get(namespace)
        if held is not None and is_foreign(held, ctx.object, ctx.inventory.owners()):
            yield in_the_way(source.name, (namespace,))
    elif namespace in namespaced_networks(ctx.inventory).get(source.name, {}):
        detail = f"the NetworkAttachmentDefinition of UserDefinedNetwork {namespace}/{source.name} has this name"
        yield FieldError(ErrorType.INVALID, "metadata.name", source.name, detail)


def in_the_way(name: str, namespaces: tuple[str, ...], more: str = "") -> FieldError:
    """Return the error. Text: ovn-kubernetes, userdefinednetwork controller."""
    detail = f"foreign NetworkAttachmentDefinition with the desired name already exist [{namespaces[0]}/{name}]{more}"
    return FieldError(ErrorType.INVALID, "metadata.name", name, detail)


_RULE = Rule(
    id="OVNG-L2-017",
    kinds=(UDN, NAD),
    own_network=True,
    severity=Severity.ERROR,
    design="ovn-kubernetes, userdefinednetwork controller",
    message="the name of a network's attachment must be unused in its namespace",
    hint="choose another name, or delete the attachment with that name",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)


def check_selected(ctx: RuleContext) -> Iterator[FieldError]:
    """One error about the namespaces where the name is in use."""
    network = ctx.own_network
    if network is None:
        return
    name = network.source.name
    held = attachments(ctx.inventory).get(name, {})
    owners = ctx.inventory.owners()
    foreign = {namespace for namespace, obj in held.items() if is_foreign(obj, ctx.object, owners)}
    foreign.update(namespaced_networks(ctx.inventory).get(name, ()))
    taken = tuple(each.name for each in reached(ctx) if each.name in foreign) if foreign else ()
    if taken:
        yield in_the_way(name, taken, and_elsewhere(taken))


_RULE_SELECTED = _RULE._replace(
    id="OVNG-L2-018",
    kinds=(CUDN,),
    message="the name of a network's attachment must be unused in every namespace that the network selects",
    check=check_selected,
    needs=(Need.NETWORKS, Need.NAMESPACES),
)


RULES = (_RULE, _RULE_SELECTED)
