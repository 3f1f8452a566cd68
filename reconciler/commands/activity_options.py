"""The options of dynamic allocation, which `run` and `cluster` share: a zone and the leader need the same ones."""

from dataclasses import dataclass
from typing import Final

import click

from ovnguard.reconciler.commands.options import option_group
from ovnguard.validators.go.duration import parse_duration
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import GRACE_PERIOD

_NANOSECONDS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ActivityOptions:
    """Whether networks are rendered only on nodes that use them, and for how many seconds afterwards."""

    dynamic: bool
    grace: float


class _DurationType(click.ParamType[float]):
    """A duration of Go that is not negative, in seconds."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        nanoseconds = parse_duration(str(value))
        if nanoseconds is None:
            self.fail(f"{str(value)!r} is not a duration such as 120s or 1m30s", param, ctx)
        if nanoseconds < 0:
            self.fail(f"{str(value)!r} must not be negative", param, ctx)
        return nanoseconds / _NANOSECONDS


with_activity = option_group(
    "activity",
    ActivityOptions,
    click.option(
        "--enable-dynamic-udn-allocation",
        # the spelling of the design
        "--dynamic-udn-allocation",
        "dynamic",
        is_flag=True,
        help="Render user-defined networks only on nodes with one of their pods or egress addresses.",
    ),
    click.option(
        "--udn-deletion-grace-period",
        "grace",
        type=_DurationType(),
        default=f"{GRACE_PERIOD:g}s",
        show_default=True,
        metavar="DURATION",
        help="How long a node that no longer uses a network still renders it; 0 for not at all.",
    ),
)
"""Adds the options of `ActivityOptions`, which the command gets as ``activity``."""
