"""The commands of `ovnguard-reconciler rollout`."""

from typing import Final

import click

from reconciler.commands.lazy_group import Loaders, lazy_group

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler rollout status --release 4.14.20      where the upgrade is, and what it waits for
  ovnguard-reconciler rollout plan --release 4.14.20        every write that is still to come, in order
  ovnguard-reconciler rollout run --release 4.14.20 --image IMAGE --mode own
"""


def _status() -> click.Command:
    from reconciler.rollout.commands.status import command

    return command


def _plan() -> click.Command:
    from reconciler.rollout.commands.plan import command

    return command


def _explain() -> click.Command:
    from reconciler.rollout.commands.explain import command

    return command


def _run() -> click.Command:
    from reconciler.rollout.commands.run import command

    return command


_COMMANDS: Final[Loaders] = {
    "status": (_status, "Show where the upgrade is, and what it waits for."),
    "plan": (_plan, "Print every write that is still to come, in order."),
    "explain": (_explain, "Print what this pass does, file by file, and why."),
    "run": (_run, "Bring the cluster to a release, as the leader of several processes."),
}

command: Final = lazy_group(
    "rollout", "Upgrade OVN-Kubernetes from 4.13 to one zone per node, in two phases.", _COMMANDS, _EPILOG
)
