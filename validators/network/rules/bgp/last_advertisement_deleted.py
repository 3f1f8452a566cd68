"""A no-overlay network loses its routes with the last RouteAdvertisements that advertises it.

Nothing falls back to the overlay: its pods cannot reach pods of other nodes until another RouteAdvertisements selects
it.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.cluster_facts import known_operator
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.no_overlay import no_overlay_cudns
from ovnguard.validators.network.cluster.route_advertisements import (
    RouteAdvertisement,
    advertising,
    route_advertisement,
    selecting,
)
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK, ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import DEFAULT_NETWORK
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Deletions and updates of RouteAdvertisements."""
    return ctx.old is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for each network that loses its routes."""
    if ctx.old is None:
        return
    before = route_advertisement(ctx.old)
    after = () if ctx.operation == "DELETE" else (route_advertisement(ctx.object),)
    for name, network in _networks(ctx.inventory):
        if not _advertised(network, (before,)) or _advertised(network, after):
            continue
        if not any(each.name != before.name for each in advertising(network, ctx.inventory)):
            detail = f"no other RouteAdvertisements advertises the no-overlay network {name}"
            yield FieldError(ErrorType.INVALID, "spec.networkSelectors", detail=detail)


def _advertised(network: JsonObject, among: tuple[RouteAdvertisement, ...]) -> bool:
    return bool(selecting(network, (each for each in among if each.pod_network)))


def _networks(inventory: Inventory) -> Iterator[tuple[str, JsonObject]]:
    operator = known_operator(inventory)
    if operator is not None and operator.no_overlay:
        yield from ((DEFAULT_NETWORK, obj) for obj in (inventory.objects(OPERATOR_NETWORK) or ())[:1])
    yield from ((ref_of(obj).name, obj) for obj in no_overlay_cudns(inventory))


RULE = Rule(
    id="OVNG-NET-022",
    kinds=(ROUTE_ADVERTISEMENTS,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, no-overlay validation of RouteAdvertisements",
    message="do not delete the last RouteAdvertisements that advertises a no-overlay network",
    hint="first create another RouteAdvertisements that advertises PodNetwork of the network, or delete the network",
    applies=applies,
    check=check,
    needs=(Need.TRANSPORTS,),
    ratchets=False,
    operations=frozenset({"UPDATE", "DELETE"}),
)
