"""A namespace that the selectors of two primary networks select gets the one that comes first, whichever that is."""

from collections.abc import Iterator

from validators.field import ErrorType, FieldError
from validators.network.inventory import Inventory
from validators.network.model import Network
from validators.network.parse import group_kind_of, network_of
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.selectors import matches
from validators.network.tenancy import is_primary, namespace_of, selector_of
from validators.network.view import CUDN, NAMESPACE
from validators.network.wording import shortlist


def applies(ctx: Context) -> bool:
    """Namespaces."""
    return group_kind_of(ctx.object) == NAMESPACE


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning that names the networks."""
    namespace = namespace_of(ctx.object)
    found = [
        network.source.name
        for network, selector in ctx.inventory.derived(_selecting, CUDN)
        if matches(selector, namespace.labels)
    ]
    if len(found) > 1:
        detail = f"selected by several primary networks: {shortlist(sorted(found))}"
        yield FieldError(ErrorType.INVALID, "metadata.labels", detail=detail)


def _selecting(inventory: Inventory) -> list[tuple[Network, object]]:
    """Primary networks of CUDNs, with their selectors."""
    found = []
    for obj in inventory.objects(CUDN) or ():
        network = network_of(obj).network
        if network is not None and is_primary(network):
            found.append((network, selector_of(obj)))
    return found


RULE = Rule(
    id="OVNG-L2-034",
    severity=Severity.WARNING,
    design="OKEP-5193 user-defined networks, namespaceSelector",
    message="a namespace should be selected by one primary network",
    hint="change the namespace's labels or the selectors",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
