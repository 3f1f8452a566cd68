"""`ovnguard-reconciler status`: the state of webhook, leader, zones and networks, and what is wrong."""

import time
from typing import Final

import click

from ovnguard.reconciler.commands.loop_options import connected
from ovnguard.reconciler.commands.options import check_name, with_cluster
from ovnguard.reconciler.commands.output import echo_lines
from ovnguard.reconciler.status.look import look
from ovnguard.reconciler.status.overview import Overview, as_json, as_lines, overview_of
from ovnguard.validators.cluster.client_protocol import ClusterError, ClusterOptions, PodClient
from ovnguard.validators.commandline.program import Exit, tell
from ovnguard.validators.go.duration import SECOND, parse_duration
from ovnguard.validators.network.list_text import counted

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler status                           of the cluster in the kubeconfig
  ovnguard-reconciler status --wait --timeout 2m       until all is well, two minutes at most
  ovnguard-reconciler status -o json | jq '.findings[]'

\b
It only reads; docs/status.md lists the rights that it needs. What cannot be read is unknown, never well. Exit codes: 0
all is well, 1 something is wrong or unknown, or --wait ran out, 2 wrong call, 3 the cluster cannot be reached.
"""
_PAUSE: Final = 2.0
_DEFAULT: Final = "5m"


def _seconds(_: click.Context, __: click.Parameter, value: str) -> float:
    nanos = parse_duration(value)
    if nanos is None or nanos <= 0:
        raise click.BadParameter(f"{value!r} is not a duration such as 30s or 2m")
    return nanos / SECOND


@click.command("status", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_cluster
@click.option(
    "-n", "--namespace", default="ovnguard-system", show_default=True, help="Namespace in which ovnguard is installed."
)
@click.option("--wait", is_flag=True, help="Wait until all is well.")
@click.option(
    "--timeout", default=_DEFAULT, show_default=True, callback=_seconds, metavar="DURATION", help="How long to --wait."
)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
@click.version_option(package_name="ovnguard")
def command(cluster: ClusterOptions, namespace: str, wait: bool, timeout: float, output: str) -> int:
    """Print what is wrong, and the state of webhook, leader, zones, networks and releases."""
    check_name(namespace, "namespace", "--namespace")
    client = connected(cluster)
    try:
        found = _well(client, namespace, timeout) if wait else overview_of(look(client, namespace))
    except ClusterError as error:
        click.echo(f"error: the cluster cannot be reached: {error}", err=True)
        return Exit.INTERNAL
    if output == "json":
        click.echo(as_json(found))
    else:
        echo_lines(as_lines(found))
    return Exit.INVALID if found.findings else Exit.OK


def _well(client: PodClient, namespace: str, timeout: float) -> Overview:
    """Look until all is well or the time is over; raise ClusterError if the cluster cannot be reached at the end."""
    began = time.monotonic()
    deadline = began + timeout
    while True:
        found, failure = None, None
        try:
            found = overview_of(look(client, namespace))
        except ClusterError as error:
            failure = error
        left = deadline - time.monotonic()
        if found is not None and (not found.findings or left <= 0):
            return found
        if failure is not None and left <= 0:
            raise failure
        first = str(failure) if found is None else found.findings[0].text
        number = "the cluster cannot be reached" if found is None else f"{counted(len(found.findings), 'finding')}"
        if time.monotonic() - began >= _PAUSE:
            tell(f"waiting: {number}: {first}")
        time.sleep(min(_PAUSE, left))
