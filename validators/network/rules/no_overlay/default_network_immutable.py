"""The transport of the default network and its related settings are immutable, also where no CEL rule of the CRD sees
the change.

A transition rule does not run when only one side has its object: an update may add or remove
spec.defaultNetwork.ovnKubernetesConfig, or change from one spelling of the API to the other. This rule compares the
meaning of both objects. In the released API, outboundSNAT and bgpManagedConfig may change at any time; in the proposed
API, nothing may.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import CONFIG, NoOverlayChoice, no_overlay_choice
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each value that changed and must not, in the words of the CRD's own rules."""
    if ctx.old is None:
        return
    old, new = no_overlay_choice(ctx.old), no_overlay_choice(ctx.object)
    proposed = (new.spelling or old.spelling) == "enhancement"
    texts = _proposed(old, new) if proposed else _released(old, new, _removed(ctx))
    yield from (FieldError(ErrorType.INVALID, CONFIG, detail=text) for text in texts)


def _proposed(old: NoOverlayChoice, new: NoOverlayChoice) -> Iterator[str]:
    if old.transport != new.transport:
        yield "DefaultNetworkTransport field is immutable"
    if old.options != new.options:
        yield "defaultNetworkNoOverlayOptions field is immutable"
    if old.bgp != new.bgp:
        yield "bgpManagedConfig field is immutable"


def _removed(ctx: RuleContext) -> bool:
    """Whether the update removes an explicit transport, including Geneve."""
    return _written(ctx.old) is not None and _written(ctx.object) is None


def _written(obj: JsonObject | None) -> object:
    keys = CONFIG.split(".")
    return dig(obj, *keys, "transport") or dig(obj, *keys, "defaultNetworkTransport")


def _released(old: NoOverlayChoice, new: NoOverlayChoice, removed: bool) -> Iterator[str]:
    if removed:
        yield "transport may not be removed once set"
    elif old.transport != new.transport:
        late = new.transport is Transport.NO_OVERLAY and old.spelling != "enhancement"
        yield (
            "transport can only be set to Geneve after installation"
            if late
            else "transport may not be removed once set"
        )
    if old.options is not None and new.options is None:
        yield "noOverlayConfig may not be removed once set"
    elif old.options is not None and new.options is not None and old.options.routing != new.options.routing:
        yield "routing is immutable once set"


RULE = Rule(
    id="OVNG-NET-004",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Workflow Description'",
    message="the default network's transport is immutable after installation",
    hint="keep transport, options and, in the proposed API, bgpManagedConfig unchanged",
    check=check,
    ratchets=False,
)
