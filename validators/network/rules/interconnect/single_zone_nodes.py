"""A cluster with multizone nodes has finished the first phase, and nodes do not go back.

If a request asks for a single zone again, the operator rolls out nodes in one common zone next to nodes in their own
zones: the two groups lose contact.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.ovnkube_settings.interconnect import ZONE_MODE
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import Ask
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import observed
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import asks, configuration_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the zone mode."""
    node = observed(ctx.inventory).node
    if node is not None and node.multizone:
        detail = f"{RULE.message}: {node} is multizone already"
        yield FieldError(ErrorType.FORBIDDEN, f"data[{ZONE_MODE}]", detail=detail)


RULE = configuration_rule(
    id="OVNG-IC-005",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Design Details'",
    message="nodes cannot return to a single zone",
    hint="do not create the ConfigMap: without it, the operator keeps the cluster multizone",
    applies=asks(Ask.BEFORE_MULTIZONE),
    check=check,
    needs=(Need.OVNKUBE_NODE,),
    ratchets=False,
)
