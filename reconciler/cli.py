"""The executable `ovnguard-reconciler` and its commands."""

from collections.abc import Mapping
from typing import Final, NoReturn

import click

from ovnguard.reconciler.commands.lazy_group import LazyGroup
from ovnguard.reconciler.dns.commands.group import command as dns
from ovnguard.reconciler.rollout.commands.group import command as rollout
from ovnguard.validators.commandline.program import run
from ovnguard.validators.commandline.shell_completion import completion_command

_PROGRAM: Final = "ovnguard-reconciler"
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
_COMMANDS: Final = {
    "plan": "Print what every node's zone should contain.",
    "apply": "Bring a folder of files or live databases to the plan, once.",
    "diff": "Show what apply would change, as text, JSON or ovn-nbctl commands.",
    "audit": "Compare zones that OVN-Kubernetes maintains, in a must-gather or live, with the plan.",
    "bundle": "Collect what an audit needs of a live cluster into one file.",
    "verify": "Trace packets through a zone and report where one is dropped.",
    "layer2-upgrade": "Show which nodes can change to transit routers next.",
    "run": "Keep one node's zone as the cluster's networks require.",
    "cluster": "Allocate numbers and subnets, as the leader of the cluster.",
    "status": "Show what is wrong, and the state of webhook, leader, zones and networks.",
    "rollout": "Upgrade OVN-Kubernetes from 4.13 to one zone per node.",
    "dns": "Show and serve the names of a cluster whose user manages DNS.",
    "completion": "Print the completion script of bash, zsh or fish.",
}
_GROUPS: Final[Mapping[str, click.Command]] = {
    "rollout": rollout,
    "dns": dns,
    "completion": completion_command(_PROGRAM),
}


def _load(name: str) -> click.Command | None:
    command: click.Command
    if name == "plan":
        from ovnguard.reconciler.commands.plan import command
    elif name == "apply":
        from ovnguard.reconciler.commands.apply import command
    elif name == "diff":
        from ovnguard.reconciler.commands.diff import command
    elif name == "audit":
        from ovnguard.reconciler.commands.audit.command import command
    elif name == "bundle":
        from ovnguard.reconciler.commands.bundle import command
    elif name == "verify":
        from ovnguard.reconciler.commands.verify import command
    elif name == "layer2-upgrade":
        from ovnguard.reconciler.commands.layer2_upgrade import command
    elif name == "run":
        from ovnguard.reconciler.commands.run import command
    elif name == "cluster":
        from ovnguard.reconciler.commands.cluster import command
    elif name == "status":
        from ovnguard.reconciler.status.command import command
    else:
        return _GROUPS.get(name)
    return command


@click.group(
    cls=LazyGroup, texts=_COMMANDS, load=_load, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="ovnguard")
def reconciler() -> None:
    """Turn accepted networks into OVN and FRR state."""


def main() -> NoReturn:
    """Run the command line and exit."""
    run(reconciler, _PROGRAM)
