"""A network in no-overlay mode changes the routing of every node at once, and during an upgrade nodes run two versions.

The design requires that no-overlay and managed-BGP settings do not change until the ClusterVersion stops progressing. A
new ClusterUserDefinedNetwork in no-overlay mode is such a change: it adds routes to the FRRConfigurations of all nodes,
and the first one with routing Managed creates the whole fabric. Its transport never changes later, so the rule refuses
only the creation; deleting the network and adding subnets or namespaces remain possible. An installation is Progressing
as well: create such networks after it.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.no_overlay import transport_path
from ovnguard.validators.network.cluster.release import is_progressing
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """New ClusterUserDefinedNetworks in no-overlay mode; a stored one, as in a dump, has a resourceVersion."""
    return not dig(ctx.object, "metadata", "resourceVersion")


def check(ctx: RuleContext) -> Iterator[FieldError]:
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
