"""`ovnguard-reconciler dns manifests`: from an install configuration to Infrastructure and DNS."""

import json
from collections.abc import Sequence
from typing import Final

import click
import yaml

from ovnguard.reconciler.dns.commands.inputs import Inputs, UnreadableError, findings_of, print_error, with_inputs
from ovnguard.reconciler.dns.plan.install_manifests import Installation, install_manifests
from ovnguard.reconciler.dns.plan.load_balancer import addresses_of
from ovnguard.reconciler.dns.plan.workflow import workflow
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.network.model import IPAddress

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler dns manifests -f install-config.yaml
  ovnguard-reconciler dns manifests -f install-config.yaml --server 10.0.0.2 --infra-id c1-x7k2p
  ovnguard-reconciler dns manifests -f install-config.yaml --api-int-address 10.0.1.5 --api-address 203.0.113.5

\b
Exit codes: 0 ok, names that do not resolve are a warning, 1 the configuration is refused, 2 wrong call or input that
cannot be read, 3 an internal error.
"""


def _addresses(_: click.Context, param: click.Parameter, texts: Sequence[str]) -> tuple[IPAddress, ...]:
    found = addresses_of(texts, str(param.opts[0]))
    if found.problems:
        raise click.BadParameter(found.problems[0].text)
    return found.addresses


@click.command("manifests", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs(cluster=False, targets=False)
@click.option("--infra-id", default="", metavar="NAME", help="Id that the installer generated for the cluster.")
@click.option("--public-zone", default="", metavar="ID", help="Public zone in the DNS of the platform.")
@click.option("--private-zone", default="", metavar="ID", help="Private zone in the DNS of the platform.")
@click.option("--api-address", multiple=True, callback=_addresses, help="Of api's load balancer (released API).")
@click.option("--api-int-address", multiple=True, callback=_addresses, help="Of api-int's (released API).")
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml")
@click.version_option(package_name="ovnguard")
def command(
    inputs: Inputs,
    infra_id: str,
    public_zone: str,
    private_zone: str,
    api_address: tuple[IPAddress, ...],
    api_int_address: tuple[IPAddress, ...],
    output: str,
) -> int:
    """Check an install configuration and print the Infrastructure and the DNS that record its choice.

    With user-managed DNS, the DNS has no zones, so that nothing writes to the DNS of the platform. Zones of the
    platform's DNS are known only to the platform: without their options they are left out.
    """
    if not inputs.files:
        raise click.UsageError("name install-config.yaml with -f")
    try:
        observed = inputs.observe()
    except UnreadableError as error:
        return print_error(error)
    if observed.install_config is None:
        raise click.UsageError(f"no install configuration in {', '.join(inputs.files[:3])}")
    known = Installation(infra_id, public_zone, private_zone, api_address, api_int_address)
    manifests = () if observed.refusals else install_manifests(observed, known)
    found = [findings_of(each, manifests) for each in (observed.install_config, *manifests)]
    refusals = [error for each in found[1:] for error in each.errors]
    for problem in workflow(observed).problems:
        click.echo(f"{'warning' if manifests else 'error'}: {problem}", err=True)
    for severity, texts in (("error", refusals), ("warning", [text for each in found for text in each.warnings])):
        for text in texts:
            click.echo(f"{severity}: {text}", err=True)
    if not manifests or refusals:
        return Exit.INVALID
    text = (
        json.dumps(manifests, indent=2) + "\n" if output == "json" else yaml.safe_dump_all(manifests, sort_keys=False)
    )
    click.echo(text, nl=False)
    return Exit.OK
