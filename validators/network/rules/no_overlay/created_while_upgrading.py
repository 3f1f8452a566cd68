"""A network in no-overlay mode changes the routing of every node at once, and an upgrade has nodes of two versions.

The design demands of the network operator that no-overlay and managed-BGP settings stay as they are until the
ClusterVersion stops progressing. A ClusterUserDefinedNetwork in that mode is such a change: routes of it come into the
FRRConfigurations of all nodes, and the first one with routing Managed brings the whole fabric. Its transport never
changes later, so that it is the creation that is refused; a network is deleted, and given more subnets and namespaces,
at any time. An installation is Progressing as well: such networks are created when it is done.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.no_overlay import declared, transport_path
from validators.network.cluster.release import is_progressing
from validators.network.cluster_view import CUDN
from validators.network.model import Transport
from validators.network.parse_values import dig
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """ClusterUserDefinedNetworks in no-overlay mode that are new: a stored one, as in a dump, has a resourceVersion."""
    is_stored = bool(dig(ctx.object, "metadata", "resourceVersion"))
    return not is_stored and declared(ctx.object).no_overlay


def check(ctx: Context) -> Iterator[FieldError]:
    """One error at the transport."""
    if is_progressing(ctx.inventory):
        yield FieldError(ErrorType.FORBIDDEN, transport_path(ctx.object), detail=RULE.message)


RULE = Rule(
    id="OVNG-NET-056",
    kinds=(CUDN,),
    transport=Transport.NO_OVERLAY,
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Upgrade / Downgrade Strategy'",
    message="no-overlay networks cannot be created while the ClusterVersion is Progressing",
    hint="wait until the upgrade is complete: condition Progressing of the ClusterVersion is then False",
    applies=applies,
    check=check,
    needs=(Need.CLUSTER_VERSION,),
    operations=frozenset({"CREATE"}),
)
