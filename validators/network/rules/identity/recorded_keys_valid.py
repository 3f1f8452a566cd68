"""A network records two different tunnel keys, of which the first belongs to the recorded network id.

All nodes build their switches and routers from these annotations; invalid keys stop the network on every node.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.addressing import switch_tunnel_key
from ovnguard.validators.network.addresses.network_keys import keys_fault
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.model import TUNNEL_KEYS_ANNOTATION
from ovnguard.validators.network.parse_values import annotation
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Networks with keys in ovnguard's annotation; a policy judges upstream's annotation, which its cluster manager
    writes.
    """
    network = ctx.network
    return (
        network is not None
        and bool(network.tunnel_keys)
        and annotation(ctx.object, TUNNEL_KEYS_ANNOTATION)[1] is not None
    )


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the annotation."""
    network = ctx.network
    if network is None:
        return
    path, shown = annotation(ctx.object, TUNNEL_KEYS_ANNOTATION)
    fault = keys_fault(network)
    if fault is None and not network.needs_transit_subnet:
        fault = "only primary Layer2 networks have tunnel keys of their own"
    number = network.network_id
    if fault is None and number is not None and network.tunnel_keys[0] != switch_tunnel_key(number):
        fault = f"the first tunnel key of network id {number} is {switch_tunnel_key(number)}"
    if fault is not None:
        yield FieldError(ErrorType.INVALID, path, shown, fault)


RULE = Rule(
    id="OVNG-L2-009",
    kinds=NETWORK_KINDS,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Tunnel keys for the transit switches/routers'",
    message="recorded tunnel keys must be those of a switch and of a transit router",
    hint="remove the annotation: the reconciler writes it",
    applies=applies,
    check=check,
)
