"""The keys of the ConfigMap changed within 4.14: temporary and ongoing-upgrade up to 4.14.13, then another override.

The operator ignores unknown keys: an override that should skip a phase does nothing, and nothing reports it. Keys that
an earlier z-stream wrote may stay.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.release import target_release
from ovnguard.validators.network.ovnkube_settings.interconnect import FAST_FORWARD, ONGOING, TEMPORARY, Stream, stream
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import judges
from ovnguard.validators.network.parse_values import mapping
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import configuration_rule

_KEYS: Final[Mapping[Stream | None, tuple[tuple[str, ...], str]]] = {
    Stream.EARLY: ((FAST_FORWARD,), "is known from 4.14.14"),
    Stream.LATE: ((TEMPORARY, ONGOING), "is known up to 4.14.13"),
}


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at each key that the release does not know; a build without a z-stream number may know every key."""
    release, data = target_release(ctx.inventory), mapping(ctx.object, "data")
    unknown, words = _KEYS.get(stream(release), ((), ""))
    for key in unknown:
        if release is not None and key in data:
            detail = f"{key} {words}, and this cluster goes to {release.text}"
            yield FieldError(ErrorType.FORBIDDEN, f"data[{key}]", detail=detail)


RULE = configuration_rule(
    id="OVNG-IC-003",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Troubleshooting'",
    message="each z-stream release of 4.14 reads its own keys",
    hint="up to 4.14.13 use temporary and ongoing-upgrade, from 4.14.14 fast-forward-to-multizone",
    applies=judges,
    check=check,
    needs=(Need.RELEASE,),
)
