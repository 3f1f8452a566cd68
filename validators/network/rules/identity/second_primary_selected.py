"""A namespace that a ClusterUserDefinedNetwork selects can have no other primary network either."""

from collections.abc import Iterator
from dataclasses import replace

from validators.base.field import FieldError
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.cluster.network_namespaces import is_primary, primaries
from validators.network.list_text import and_elsewhere
from validators.network.rules.base import Context, Need
from validators.network.rules.identity.second_primary import RULE as SECOND_PRIMARY
from validators.network.rules.identity.second_primary import already_there
from validators.network.rules.network_subject import other_primaries, reached, selects, subject


def applies(ctx: Context) -> bool:
    """Primary networks beside the default one."""
    return is_primary(subject(ctx))


def check(ctx: Context) -> Iterator[FieldError]:
    """One error about the namespaces that have another primary network."""
    network = subject(ctx)
    if network is None:
        return
    if not selects(ctx):
        namespace = network.source.namespace
        other = next((each for each in other_primaries(ctx, namespace) if not each.source.namespace), None)
        if other is not None:
            yield already_there(ctx, network, namespace, other)
        return
    held = primaries(ctx.inventory)
    taken = [each.name for each in reached(ctx) if each.name in held and other_primaries(ctx, each.name)]
    if taken:
        yield already_there(ctx, network, taken[0], other_primaries(ctx, taken[0])[0], and_elsewhere(taken))


RULE = replace(
    SECOND_PRIMARY,
    id="OVNG-L2-016",
    kinds=NETWORK_KINDS,
    message="a namespace must have one primary network, also when a namespaceSelector selects it",
    hint="let the selectors of primary ClusterUserDefinedNetworks select different namespaces",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS, Need.NAMESPACES),
)
