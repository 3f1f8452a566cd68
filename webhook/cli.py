"""The command line of the webhook: ``ovnguard-webhook serve``; `webhook.commands.manifests` has those that print.

Exit codes: 0 stopped as asked or printed, 2 wrong usage or input that cannot be used, 3 the webhook itself failed.
"""

import logging
import logging.config
import sys
from pathlib import Path
from typing import Any

import click

from webhook.commands.errors import EXIT_INTERNAL
from webhook.commands.manifests import manifests, policies

log = logging.getLogger("ovnguard.cli")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
def cli() -> None:
    """Judge networks for a Kubernetes API server: validating and mutating admission over TLS."""


@cli.command(
    epilog="""\b
Examples:
  ovnguard-webhook serve --self-signed ./certs --port 8443 --manifests ./networks --manifests ./nodes
  ovnguard-webhook serve --cert tls.crt --key tls.key --host 0.0.0.0 --port 8443 --in-cluster --workers 2
  ovnguard-webhook serve --authority-secret ovnguard-system/ovnguard-webhook-tls \\
      --service ovnguard-system/ovnguard-webhook --host 0.0.0.0 --in-cluster --workers 2
"""
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8443, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 takes a free one."
)
@click.option("--cert", type=click.Path(path_type=Path), help="Serving certificate (PEM, with its chain).")
@click.option("--key", type=click.Path(path_type=Path), help="Its unencrypted private key (PEM).")
@click.option(
    "--self-signed",
    type=click.Path(path_type=Path, file_okay=False),
    help="Make and renew certificates in this folder; clients trust its ca.crt.",
)
@click.option("--san", multiple=True, help="A further name or address for --self-signed; repeatable.")
@click.option(
    "--authority-secret",
    metavar="NAMESPACE/NAME",
    help="Keep an authority of our own in this Secret, renew it, and tell both registrations; replicas share it.",
)
@click.option("--service", metavar="NAMESPACE/NAME", help="The Service that --authority-secret is for.")
@click.option(
    "--registration", default="ovnguard", show_default=True, help="The name of both webhook configurations to tell."
)
@click.option(
    "--client-ca",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Admission is asked only by who has a certificate of these authorities (PEM).",
)
@click.option("--client-name", multiple=True, help="... in one of these names (CN or DNS name); repeatable.")
@click.option("--manifests", multiple=True, help="File or folder with what the cluster holds; repeatable.")
@click.option("--kubeconfig", type=click.Path(path_type=Path, dir_okay=False), help="See the cluster of this file.")
@click.option("--in-cluster", is_flag=True, help="See the cluster that this process runs in.")
@click.option("--feature-set", metavar="NAME", help="Judge as a cluster with this feature set would.")
@click.option(
    "--feature-gates",
    multiple=True,
    metavar="NAME=true|false,...",
    help="Feature gates that differ from it; repeatable.",
)
@click.option(
    "--sync-seconds",
    default=20.0,
    show_default=True,
    type=click.FloatRange(0, 50),
    help="How long a process waits for its view of the cluster before it answers that it has none.",
)
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes.")
@click.option("--threads", default=8, show_default=True, type=click.IntRange(1, 256), help="Threads of each process.")
def serve(host: str, port: int, workers: int, threads: int, **given: Any) -> None:
    """Serve /validate, /mutate, /healthz, /readyz and /metrics.

    When requests are answered, the URL is printed as the one line of standard output. Logs go to standard error, one
    JSON object per line. SIGTERM stops: requests under way are answered first.

    What is known around a network comes from --manifests, or live from --kubeconfig or --in-cluster; without any of
    them each network is judged alone.
    """
    # the server and the judge are loaded by who serves, not by who asks for help
    from webhook.commands.serve import Wishes, run  # noqa: PLC0415 - as above

    run(Wishes(host=host, port=port, workers=workers, threads=threads, **given))


cli.add_command(manifests)
cli.add_command(policies)


def main() -> None:
    """Run the command line and exit."""
    try:
        cli()
    except Exception:
        # the rim of the process: a bug is told apart from bad input by its exit code, and its trace is in the log
        log.exception("ovnguard-webhook failed")
        sys.exit(EXIT_INTERNAL)
