"""An update must not remove settings that user-defined no-overlay networks depend on.

The definition of the operator Network considers only the default network: with that one in the overlay, it permits
removing BGP and the managed fabric, and adding IPsec, although ClusterUserDefinedNetworks depend on BGP.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import operator_facts
from ovnguard.validators.network.cluster.no_overlay import managed_cudns, no_overlay_cudns
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import CONFIG, ref_of
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity

_SHOWN = 3


def applies(ctx: RuleContext) -> bool:
    """Updates of operator Networks that remove one of these settings."""
    if not ctx.is_update or ctx.old is None:
        return False
    old, new = operator_facts(ctx.old), operator_facts(ctx.object)
    lost_bgp = old.choice.managed_bgp is not None and new.choice.managed_bgp is None
    lost = (old.advertises and not new.advertises) or (old.frr and not new.frr) or lost_bgp
    return lost or (new.ipsec_full and not old.ipsec_full)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each removed setting that networks need."""
    networks, managed = no_overlay_cudns(ctx.inventory), managed_cudns(ctx.inventory)
    if not networks:
        return
    facts, names = operator_facts(ctx.object), _names(tuple(ref_of(obj).name for obj in networks))
    if not facts.advertises:
        detail = f"routeAdvertisements Enabled is required by no-overlay networks: {names}"
        yield FieldError(ErrorType.INVALID, f"{CONFIG}.routeAdvertisements", detail=detail)
    if not facts.frr:
        detail = f"provider FRR is required by no-overlay networks: {names}"
        yield FieldError(ErrorType.INVALID, "spec.additionalRoutingCapabilities.providers", detail=detail)
    if facts.ipsec_full:
        detail = f"IPsec mode Full cannot encrypt no-overlay networks: {names}"
        yield FieldError(ErrorType.INVALID, f"{CONFIG}.ipsecConfig.mode", "Full", detail)
    if managed and facts.choice.managed_bgp is None:
        names = _names(tuple(sorted(managed)))
        detail = f"bgpManagedConfig is required by networks with routing Managed: {names}"
        yield FieldError(ErrorType.INVALID, f"{CONFIG}.bgpManagedConfig", detail=detail)


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


RULE = Rule(
    id="OVNG-NET-016",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Workflow Description'",
    message="the operator Network must keep the settings that no-overlay networks require",
    hint="delete these networks first, or keep BGP, the FRR provider, bgpManagedConfig and IPsec unchanged",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
