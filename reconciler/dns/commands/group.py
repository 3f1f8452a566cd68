"""The commands of `ovnguard-reconciler dns`."""

from typing import Final

import click

from reconciler.commands.lazy_group import Loaders, lazy_group

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler dns manifests -f install-config.yaml     what the installer should write
  ovnguard-reconciler dns status --server 10.0.0.2             where the installation is, and which records are missing
  ovnguard-reconciler dns run --corefile ./Corefile        follow the load balancer; --mode own writes
  ovnguard-reconciler dns deletion -f install-config.yaml      who deletes what
"""


def _status() -> click.Command:
    from reconciler.dns.commands.status import command

    return command


def _manifests() -> click.Command:
    from reconciler.dns.commands.manifests import command

    return command


def _corefile() -> click.Command:
    from reconciler.dns.commands.corefile import command

    return command


def _run() -> click.Command:
    from reconciler.dns.commands.run import command

    return command


def _deletion() -> click.Command:
    from reconciler.dns.commands.deletion import command

    return command


_COMMANDS: Final[Loaders] = {
    "manifests": (_manifests, "Check an install configuration and print its Infrastructure and DNS."),
    "status": (_status, "Show where the installation is and which DNS records are still to be created."),
    "corefile": (_corefile, "Print the configuration of CoreDNS on the nodes, or its static pod."),
    "run": (_run, "Follow the load balancer on a node, and record it once per cluster."),
    "deletion": (_deletion, "Print who deletes what when the cluster goes."),
}

command: Final = lazy_group("dns", "Show and serve the names of a cluster whose user manages DNS.", _COMMANDS, _EPILOG)
