"""The commands of `ovnguard-reconciler dns`."""

from typing import Final

import click

from ovnguard.reconciler.commands.lazy_group import lazy_group

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler dns manifests -f install-config.yaml     what the installer should write
  ovnguard-reconciler dns status --server 10.0.0.2             where the installation is, and which records are missing
  ovnguard-reconciler dns run --corefile ./Corefile        follow the load balancer; --mode own writes
  ovnguard-reconciler dns deletion -f install-config.yaml      who deletes what
"""
_COMMANDS: Final = {
    "manifests": "Check an install configuration and print its Infrastructure and DNS.",
    "status": "Show where the installation is and which DNS records are still to be created.",
    "corefile": "Print the configuration of CoreDNS on the nodes, or its static pod.",
    "run": "Follow the load balancer on a node, and record it once per cluster.",
    "deletion": "Print who deletes what when the cluster goes.",
}


def _load(name: str) -> click.Command | None:
    if name == "manifests":
        from ovnguard.reconciler.dns.commands.manifests import command
    elif name == "status":
        from ovnguard.reconciler.dns.commands.status import command
    elif name == "corefile":
        from ovnguard.reconciler.dns.commands.corefile import command
    elif name == "run":
        from ovnguard.reconciler.dns.commands.run import command
    elif name == "deletion":
        from ovnguard.reconciler.dns.commands.deletion import command
    else:
        return None
    return command


command: Final = lazy_group(
    "dns", "Show and serve the names of a cluster whose user manages DNS.", _EPILOG, _COMMANDS, _load
)
