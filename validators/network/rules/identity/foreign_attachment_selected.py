"""A ClusterUserDefinedNetwork renders an attachment of its name in every namespace that it selects.

The name must be free there; a UserDefinedNetwork of the same name renders one as well.
"""

from collections.abc import Iterator
from dataclasses import replace

from validators.base.field import FieldError
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.cluster.network_namespaces import attachments, namespaced_networks, owned_by
from validators.network.list_text import and_elsewhere
from validators.network.rules.base import Context, Need
from validators.network.rules.identity.foreign_attachment import RULE as FOREIGN_ATTACHMENT
from validators.network.rules.identity.foreign_attachment import in_the_way
from validators.network.rules.network_subject import has_final_name, reached, selects, subject


def applies(ctx: Context) -> bool:
    """ClusterUserDefinedNetworks."""
    return subject(ctx) is not None and selects(ctx) and has_final_name(ctx)


def check(ctx: Context) -> Iterator[FieldError]:
    """One error about the namespaces where the name is taken."""
    network = subject(ctx)
    if network is None:
        return
    name = network.source.name
    held = attachments(ctx.inventory).get(name, {})
    foreign = {namespace for namespace, obj in held.items() if not owned_by(obj, network.source)}
    foreign.update(namespaced_networks(ctx.inventory).get(name, ()))
    taken = tuple(each.name for each in reached(ctx) if each.name in foreign) if foreign else ()
    if taken:
        yield in_the_way(name, taken, and_elsewhere(taken))


RULE = replace(
    FOREIGN_ATTACHMENT,
    id="OVNG-L2-018",
    kinds=NETWORK_KINDS,
    message="the name of a network's attachment must be unused in every namespace that the network selects",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS, Need.NAMESPACES),
)
