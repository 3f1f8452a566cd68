"""The option --mode of the commands that watch a cluster, and the options that only a writer has."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import click

from ovnguard.reconciler.apply.deletion_brake import Limit
from ovnguard.reconciler.commands.options import option_group
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.plan.inputs.unenforced import OPTION

AUDIT: Final = "audit"
OWN: Final = "own"


class _LimitType(click.ParamType["Limit"]):
    """A number, or a percentage such as 10%."""

    name = "limit"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Limit:
        found = re.fullmatch(r"([0-9]{1,7})(%?)", str(value), re.ASCII)
        if found is None:
            self.fail(f"{str(value)!r} is neither a number nor a percentage such as 10%", param, ctx)
        return Limit(int(found[1]), bool(found[2]))


@dataclass(frozen=True, slots=True)
class Writing:
    """The options of a zone's writer, as they were given."""

    networks: tuple[str, ...]
    adopt: tuple[str, ...]
    limit: Limit | None
    unenforced: bool = False

    @property
    def given(self) -> Mapping[str, object]:
        """The values by option."""
        values = {"--networks": self.networks, "--adopt": self.adopt, "--max-deletions": self.limit}
        return {**values, OPTION: self.unenforced}

    def options(self, *, audit: bool) -> WriteOptions:
        """Return what may be written; raise click.UsageError when a network is adopted but not written."""
        only = frozenset(self.networks) if self.networks else None
        strange = sorted(frozenset(self.adopt) - only) if only is not None else ()
        if strange:
            raise click.UsageError(f"--adopt: {strange[0]} is not among --networks")
        return WriteOptions(audit, only, frozenset(self.adopt), self.limit or Limit(), self.unenforced)


with_mode = click.option(
    "--mode",
    type=click.Choice([AUDIT, OWN]),
    default=AUDIT,
    show_default=True,
    help="audit: write nothing but Events and a zone's report; own: write, as the only writer.",
)
"""Adds --mode, which the command gets as ``mode``: `AUDIT` or `OWN`."""

with_unenforced = click.option(
    OPTION,
    "unenforced",
    is_flag=True,
    help="Own networks with policies, too, though nobody enforces these: NetworkPolicies, AdminNetworkPolicies, "
    "EgressFirewalls, EgressQoS and multicast.",
)
"""Adds --unenforced-policies, which the command gets as ``unenforced``."""

with_writing = option_group(
    "writing",
    Writing,
    click.option(
        "--networks",
        multiple=True,
        metavar="NETWORK",
        help="Write only this network: default, cluster_udn_NAME, NAMESPACE_NAME or an attachment's. Repeatable.",
    ),
    click.option(
        "--adopt",
        multiple=True,
        metavar="NETWORK",
        help="Replace another writer's rows of this network. Repeatable.",
    ),
    click.option(
        "--max-deletions",
        "limit",
        type=_LimitType(),
        metavar="N|N%",
        help="Deletions of more networks or rows in one pass wait; N% is at least 20. Default: 10%.",
    ),
    with_unenforced,
)
"""Adds the options of `Writing`, which the command gets as ``writing``."""


def check_mode(mode: str, writing: Mapping[str, object]) -> None:
    """Raise click.UsageError for an option of ``writing`` that is given to an audit."""
    option = next((name for name, value in writing.items() if value), None)
    if mode == AUDIT and option is not None:
        raise click.UsageError(f"{option} needs --mode {OWN}: an audit does not write")
