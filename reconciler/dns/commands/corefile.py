"""`ovnguard-reconciler dns corefile`: the configuration of CoreDNS on the nodes, and its static pod."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Final

import click
import yaml

from ovnguard.reconciler.commands.options import PATH
from ovnguard.reconciler.dns.commands.inputs import (
    RESOLV_CONF,
    UPSTREAM,
    Inputs,
    UnreadableError,
    print_error,
    with_inputs,
)
from ovnguard.reconciler.dns.plan.corefile import Corefile, CorefileInput, corefile, node_addresses
from ovnguard.reconciler.dns.plan.observed import Observed
from ovnguard.reconciler.dns.plan.problems import Problem
from ovnguard.reconciler.dns.plan.served_names import Dialect
from ovnguard.reconciler.dns.plan.static_pod import StaticPodInput, static_pod
from ovnguard.reconciler.dns.plan.upstreams import Upstream, upstreams_of
from ovnguard.reconciler.dns.plan.workflow import ingress_addresses, workflow
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.network.declared.node import node_of

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler dns corefile --upstream 10.0.0.2
  ovnguard-reconciler dns corefile -f cluster/ --resolv-conf /var/run/NetworkManager/resolv.conf
  ovnguard-reconciler dns corefile -f cluster/ -o pod --coredns-image coredns:1.12 --monitor-image ovnguard:0.1

\b
Exit codes: 0 ok, 1 there is no configuration: the platform manages DNS, the load balancer's name does not resolve, or
the node has no DNS server to ask, 2 wrong call or input that cannot be read, 3 an internal error or a cluster that
cannot be reached.
"""


@click.command("corefile", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs(asked="those of --upstream", targets=False)
@click.option(
    "--upstream",
    "upstreams",
    type=UPSTREAM,
    multiple=True,
    metavar="ADDRESS[:PORT]",
    help="Server that CoreDNS asks about all other names. Repeatable. Default: those of --resolv-conf.",
)
@click.option("--resolv-conf", type=PATH, metavar="FILE", default=RESOLV_CONF, show_default=True, help="Of the node.")
@click.option("--coredns-image", default="coredns", show_default=True, metavar="IMAGE", help="For -o pod.")
@click.option("--monitor-image", default="ovnguard", show_default=True, metavar="IMAGE", help="For -o pod.")
@click.option("-o", "--output", type=click.Choice(["text", "json", "pod"]), default="text")
@click.version_option(package_name="ovnguard")
def command(
    inputs: Inputs,
    upstreams: tuple[Upstream, ...],
    resolv_conf: Path,
    coredns_image: str,
    monitor_image: str,
    output: str,
) -> int:
    """Print the configuration of CoreDNS on the nodes, or with -o pod the static pod that runs it and its path.

    The load balancer's host name is resolved with --server, by default with the servers that CoreDNS asks.
    """
    try:
        asked = upstreams or _upstreams_in(resolv_conf)
        served = replace(inputs, servers=asked) if inputs.servers is None else inputs
        observed = served.observe(lambda found: found.target.hostnames)
    except UnreadableError as error:
        return print_error(error)
    dialect = observed.dialect
    if dialect is None:
        click.echo("error: the platform manages DNS: no CoreDNS runs on the nodes for it", err=True)
        return Exit.INVALID
    if output == "pod":
        return _print_pod(observed, dialect, coredns_image, monitor_image)
    found = _corefile(observed, dialect, asked)
    problems = (*found.problems, *workflow(observed).problems)
    if output == "json":
        click.echo(json.dumps({"corefile": found.text, "problems": [each._asdict() for each in problems]}, indent=2))
    else:
        _print_problems(problems)
        click.echo(found.text, nl=False)
    return Exit.OK if found.text else Exit.INVALID


def _upstreams_in(path: Path) -> tuple[Upstream, ...]:
    try:
        return upstreams_of(path.read_text(errors="replace"))
    except OSError as error:
        raise UnreadableError(
            [f"error: {path}: {error.strerror}; name a server with --upstream"], Exit.USAGE
        ) from error


def _corefile(observed: Observed, dialect: Dialect, upstreams: tuple[Upstream, ...]) -> Corefile:
    parsed = (node_of(each).node for each in observed.nodes or ())
    wanted = CorefileInput(
        observed.base_domain,
        dialect,
        upstreams,
        ingress_addresses(observed),
        observed.hosted("api").addresses,
        observed.hosted("api_int").addresses,
        node_addresses(node for node in parsed if node is not None),
    )
    # without this, an answer that is late would take *.apps away from a cluster
    unresolved = bool(observed.target.hostnames) and dialect is Dialect.PROPOSED and not wanted.ingress
    return Corefile("") if unresolved else corefile(wanted)


def _print_pod(observed: Observed, dialect: Dialect, coredns_image: str, monitor_image: str) -> int:
    api, api_int = (observed.hosted(name).addresses for name in ("api", "api_int"))
    wanted = StaticPodInput(
        dialect, observed.platform, coredns_image, monitor_image, ingress_addresses(observed), api, api_int
    )
    pod = static_pod(wanted)
    _print_problems(workflow(observed).problems)
    click.echo(f"# {pod.path}\n{yaml.safe_dump(pod.manifest, sort_keys=False)}", nl=False)
    return Exit.OK


def _print_problems(problems: tuple[Problem, ...]) -> None:
    for each in problems:
        click.echo(f"warning: {each}", err=True)
