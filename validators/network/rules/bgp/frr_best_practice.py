"""The warnings of frr-k8s about an FRRConfiguration that it accepts."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import FRR_CONFIGURATION
from ovnguard.validators.network.frr.frr_values import mappings
from ovnguard.validators.network.parse_values import dig, text_of
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

_DISABLE_MP = "disableMP is deprecated and will be removed in a future release"
_RESTART = "Graceful restart configuration changed, it will be available on the next restart"


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at each setting."""
    known = {} if ctx.old is None else {key: restart for _, key, restart, _ in _neighbors(ctx.old)}
    for field, key, restart, disable in _neighbors(ctx.object):
        if disable:
            yield FieldError(ErrorType.INVALID, f"{field}.disableMP", True, _DISABLE_MP)
        if known.get(key, restart) != restart:
            yield FieldError(ErrorType.INVALID, f"{field}.enableGracefulRestart", restart, _RESTART)


def _neighbors(obj: JsonObject) -> Iterator[tuple[str, tuple[str, str, str], bool, bool]]:
    """Path, identity and both settings of every neighbour."""
    for at, router in mappings(dig(obj, "spec", "bgp", "routers")):
        for index, neighbor in mappings(router.get("neighbors")):
            key = text_of(router.get("vrf")), text_of(neighbor.get("address")), str(neighbor.get("asn"))
            restart, disable = neighbor.get("enableGracefulRestart") is True, neighbor.get("disableMP") is True
            yield f"spec.bgp.routers[{at}].neighbors[{index}]", key, restart, disable


RULE = Rule(
    id="OVNG-NET-036",
    kinds=(FRR_CONFIGURATION,),
    severity=Severity.WARNING,
    design="frr-k8s, admission webhook",
    message="settings of an FRRConfiguration are deprecated, or take effect only after a restart",
    hint="remove disableMP; restart frr-k8s on the nodes for graceful restart",
    check=check,
)
