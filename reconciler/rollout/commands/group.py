"""The commands of `ovnguard-reconciler rollout`."""

from typing import Final

import click

from ovnguard.reconciler.commands.lazy_group import lazy_group

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler rollout status --release 4.14.20      where the upgrade is, and what it waits for
  ovnguard-reconciler rollout plan --release 4.14.20        every write that is still to come, in order
  ovnguard-reconciler rollout run --release 4.14.20 --manifests DIR --mode own
"""
_COMMANDS: Final = {
    "status": "Show where the upgrade is, and what it waits for.",
    "plan": "Print every write that is still to come, in order.",
    "explain": "Print what this pass does, file by file, and why.",
    "render": "Render the operator's templates, and show the values that are missing.",
    "run": "Bring the cluster to a release, as the leader of several processes.",
}


def _load(name: str) -> click.Command | None:
    if name == "status":
        from ovnguard.reconciler.rollout.commands.status import command
    elif name == "plan":
        from ovnguard.reconciler.rollout.commands.plan import command
    elif name == "explain":
        from ovnguard.reconciler.rollout.commands.explain import command
    elif name == "render":
        from ovnguard.reconciler.rollout.commands.render import command
    elif name == "run":
        from ovnguard.reconciler.rollout.commands.run import command
    else:
        return None
    return command


command: Final = lazy_group(
    "rollout", "Upgrade OVN-Kubernetes from 4.13 to one zone per node, in two phases.", _EPILOG, _COMMANDS, _load
)
