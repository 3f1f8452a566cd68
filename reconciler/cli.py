"""The executable `ovnguard-reconciler` and its commands."""

from typing import Final, NoReturn

import click

from reconciler.commands.lazy_group import LazyGroup, Loaders
from reconciler.dns.commands.group import command as dns
from reconciler.rollout.commands.group import command as rollout
from validators.commandline.program import run

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler plan -f networks/ --nodes nodes/
  kustomize build . | ovnguard-reconciler plan -f - --nodes nodes/ -o json
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --store state/
  ovnguard-reconciler run --node worker-a --nb-db unix:/var/run/ovn/ovnnb_db.sock

\b
Exit codes: 0 ok, 1 a network was refused or cannot be planned, 2 wrong call or unreadable input (a store's files
included), 3 an internal error, or a database that cannot be reached or refuses.
"""


def _plan() -> click.Command:
    from reconciler.commands.plan import command

    return command


def _apply() -> click.Command:
    from reconciler.commands.apply import command

    return command


def _diff() -> click.Command:
    from reconciler.commands.diff import command

    return command


def _verify() -> click.Command:
    from reconciler.commands.verify import command

    return command


def _run() -> click.Command:
    from reconciler.commands.run import command

    return command


def _cluster() -> click.Command:
    from reconciler.commands.cluster import command

    return command


def _layer2_upgrade() -> click.Command:
    from reconciler.commands.layer2_upgrade import command

    return command


_COMMANDS: Final[Loaders] = {
    "plan": (_plan, "Print what every node's zone should contain."),
    "apply": (_apply, "Bring a folder of files or live databases to the plan, once."),
    "diff": (_diff, "Show what apply would change, as text, JSON or ovn-nbctl commands."),
    "verify": (_verify, "Trace packets through a zone and report where one is dropped."),
    "layer2-upgrade": (_layer2_upgrade, "Show which nodes can change to transit routers next."),
    "run": (_run, "Keep one node's zone as the cluster's networks require."),
    "cluster": (_cluster, "Allocate numbers and subnets, as the leader of the cluster."),
    "rollout": (lambda: rollout, "Upgrade OVN-Kubernetes from 4.13 to one zone per node."),
    "dns": (lambda: dns, "Show and serve the names of a cluster whose user manages DNS."),
}


@click.group(cls=LazyGroup, loaders=_COMMANDS, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ovnguard")
def reconciler() -> None:
    """Turn accepted networks into OVN and FRR state."""


def main() -> NoReturn:
    """Run the command line and exit."""
    run(reconciler, "ovnguard-reconciler")
