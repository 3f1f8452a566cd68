"""A namespaceSelector that selects the platform's own namespaces asks for their pods as well, an empty one for all."""

from collections.abc import Iterator
from dataclasses import replace

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.cluster.network_namespaces import is_primary
from validators.network.list_text import shortlist
from validators.network.rules.base import Context, Need
from validators.network.rules.identity.platform_namespace import RULE as PLATFORM_NAMESPACE
from validators.network.rules.identity.platform_namespace import is_platform
from validators.network.rules.network_subject import reached, selects, subject


def applies(ctx: Context) -> bool:
    """Primary ClusterUserDefinedNetworks."""
    return is_primary(subject(ctx)) and selects(ctx)


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning that names them."""
    found = [each.name for each in reached(ctx) if is_platform(each.name)]
    if found:
        detail = f"pods of the platform's namespaces stay on the default network: {shortlist(found)}"
        yield FieldError(ErrorType.INVALID, "spec.namespaceSelector", detail=detail)


RULE = replace(
    PLATFORM_NAMESPACE,
    id="OVNG-L2-022",
    kinds=NETWORK_KINDS,
    message="a primary network should not select namespaces of the platform",
    hint="select namespaces by your own label, or by kubernetes.io/metadata.name",
    applies=applies,
    check=check,
    needs=(Need.NAMESPACES,),
)
