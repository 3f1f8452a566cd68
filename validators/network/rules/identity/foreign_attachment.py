"""A network's attachment has the network's name, in each of its namespaces; what else has that name is in its way.

Upstream never takes over an attachment that it did not render itself.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.cluster.network_namespaces import attachments, namespaced_networks, owned_by
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.network_subject import has_final_name, selects, subject


def applies(ctx: Context) -> bool:
    """Networks of one namespace."""
    return subject(ctx) is not None and not selects(ctx) and has_final_name(ctx)


def check(ctx: Context) -> Iterator[FieldError]:
    """One error about an attachment in the place of this network's, or about the network whose place it takes."""
    network = subject(ctx)
    if network is None:
        return
    source, namespace = network.source, network.source.namespace or "default"
    if source.kind == "UserDefinedNetwork":
        held = attachments(ctx.inventory).get(source.name, {}).get(namespace)
        if held is not None and not owned_by(held, source):
            yield in_the_way(source.name, (namespace,))
    elif namespace in namespaced_networks(ctx.inventory).get(source.name, {}):
        detail = f"the NetworkAttachmentDefinition of UserDefinedNetwork {namespace}/{source.name} has this name"
        yield FieldError(ErrorType.INVALID, "metadata.name", source.name, detail)


def in_the_way(name: str, namespaces: tuple[str, ...], more: str = "") -> FieldError:
    """Return the error. Text: ovn-kubernetes, userdefinednetwork controller."""
    detail = f"foreign NetworkAttachmentDefinition with the desired name already exist [{namespaces[0]}/{name}]{more}"
    return FieldError(ErrorType.INVALID, "metadata.name", name, detail)


RULE = Rule(
    id="OVNG-L2-017",
    kinds=NETWORK_KINDS,
    severity=Severity.ERROR,
    design="ovn-kubernetes, userdefinednetwork controller",
    message="the name of a network's attachment must be unused in its namespace",
    hint="choose another name, or delete the attachment with that name",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
