"""The reconciler door: `plan` prints, `apply` writes once, `run` keeps a node's zone at the plan.

Commands are imported when they are called, so that `--help` and `plan` do not pay for what only `run` needs.
"""

import importlib
from typing import Final, NoReturn

import click

from validators.commandline.program import run

_COMMANDS: Final = {
    "plan": ("reconciler.commands.plan_apply", "plan_command", "Print what every node's zone would hold."),
    "apply": (
        "reconciler.commands.plan_apply",
        "apply_command",
        "Bring a folder of files or live databases to the plan, once.",
    ),
    "diff": (
        "reconciler.commands.diff_verify",
        "diff_command",
        "Show what apply would change, as text, JSON or ovn-nbctl commands.",
    ),
    "verify": (
        "reconciler.commands.diff_verify",
        "verify_command",
        "Follow packets through a zone and say where one stops.",
    ),
    "run": ("reconciler.commands.run", "command", "Keep one node's zone at what the cluster's networks want."),
    "cluster": ("reconciler.commands.cluster", "command", "Give out numbers and subnets, as the cluster's leader."),
}
_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler plan -f networks/ --nodes nodes/
  kustomize build . | ovnguard-reconciler plan -f - --nodes nodes/ -o json
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --store state/
  ovnguard-reconciler run --node worker-a --nb-db unix:/var/run/ovn/ovnnb_db.sock

\b
Exit codes: 0 ok, 1 a network was refused or cannot be planned, 2 wrong call or unreadable input (a store's files
included), 3 a fault of this program, or a database that cannot be reached or refuses.
"""


class _Commands(click.Group):
    """Commands by name, each imported on first use; the list of commands imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of a user's way: look, write once, keep."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or None for an unknown name."""
        if cmd_name not in _COMMANDS:
            return None
        module, attribute, _ = _COMMANDS[cmd_name]
        found = getattr(importlib.import_module(module), attribute)
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for --help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in _COMMANDS.items()])


@click.group(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ovnguard")
def reconciler() -> None:
    """Turn accepted networks into OVN and FRR state."""


def main() -> NoReturn:
    """Run the command line and exit."""
    run(reconciler, "ovnguard-reconciler")
