"""During an upgrade nodes run two versions, and a routing change would reach them one by one.

Such changes must wait until the ClusterVersion stops progressing. OVNG-NET-056 judges networks in no-overlay mode that
are created meanwhile.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.release import is_progressing
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import CONFIG, no_overlay_choice
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Operator Networks whose no-overlay mode or managed BGP changes."""
    if not ctx.is_update or ctx.old is None:
        return False
    old, new = no_overlay_choice(ctx.old), no_overlay_choice(ctx.object)
    return (old.transport, old.options, old.bgp) != (new.transport, new.options, new.bgp)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the configuration."""
    if is_progressing(ctx.inventory):
        yield FieldError(ErrorType.FORBIDDEN, CONFIG, detail=RULE.message)


RULE = Rule(
    id="OVNG-NET-023",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Upgrade / Downgrade Strategy'",
    message="no-overlay options and bgpManagedConfig are immutable while the ClusterVersion is Progressing",
    hint="wait until the upgrade is complete: condition Progressing of the ClusterVersion is then False",
    applies=applies,
    check=check,
    needs=(Need.CLUSTER_VERSION,),
    ratchets=False,
)
