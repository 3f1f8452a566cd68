"""So many objects cannot all be networks of one cluster: ovnguard stops reading them and accepts no further network.

A cluster has ids for 4095 networks. A limit on the number of compared networks also limits the time of a judgement.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import MOST_DECLARED, NETWORK_KINDS
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import name_path


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error when the number of objects exceeds the limit."""
    network, declaring = ctx.own_network, ctx.inventory.declaring(MOST_DECLARED + 1)
    if network is not None and declaring is not None:
        detail = f"{declaring} objects declare networks, at most {MOST_DECLARED} are compared with each other"
        yield FieldError(ErrorType.INVALID, name_path(network), network.source.name, detail)


RULE = Rule(
    id="OVNG-L2-035",
    kinds=NETWORK_KINDS,
    own_network=True,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Tunnel keys for the transit switches/routers'; ovn-kubernetes, networkmanager.MaxNetworks",
    message="too many objects declare networks (limit 50,000)",
    hint="delete unused objects, or pass only the folder of one cluster to preflight",
    check=check,
    needs=(Need.NETWORKS,),
)
