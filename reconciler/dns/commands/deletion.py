"""`ovnguard-reconciler dns deletion`: who deletes what when a cluster with user-managed DNS goes."""

import json
from dataclasses import replace
from typing import Final

import click

from ovnguard.reconciler.dns.commands.inputs import Inputs, UnreadableError, print_error, with_inputs
from ovnguard.reconciler.dns.plan.deletion import deletions
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler dns deletion                                      of the cluster in the kubeconfig
  ovnguard-reconciler dns deletion -f install-config.yaml -f cluster/ -o json

\b
Exit codes: 0 ok, 2 wrong call or input that cannot be read, 3 an internal error or a cluster that cannot be reached.
"""


@click.command("deletion", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs(asked="")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
@click.version_option(package_name="ovnguard")
def command(inputs: Inputs, output: str) -> int:
    """Print a checklist of load balancers, records and networks, and who deletes each. Nothing is deleted.

    Print it before you destroy the cluster: afterwards nothing says which load balancer its records lead to.
    """
    try:
        observed = replace(inputs, servers=()).observe()
    except UnreadableError as error:
        return print_error(error)
    found = deletions(observed)
    if output == "json":
        click.echo(json.dumps([each._asdict() for each in found], indent=2))
        return Exit.OK
    if not found:
        click.echo("the platform manages DNS: the installer deletes everything that it created")
    for each in found:
        click.echo(f"[ ] {each.resource}: {each.by}")
    return Exit.OK
