"""The command line of the webhook: ``ovnguard-webhook serve``; `webhook.commands.manifests` has the printing commands.

Exit codes: 0 stopped by a signal or printed, 2 wrong usage or unusable input, 3 the webhook itself failed.
"""

from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn

import click

from ovnguard.validators.commandline import program
from ovnguard.validators.commandline.grouped_command import GroupedCommand
from ovnguard.validators.commandline.option_groups import Groups
from ovnguard.validators.commandline.shell_completion import completion_command
from ovnguard.webhook.commands.manifests import manifests, policies
from ovnguard.webhook.commands.serve_options import ServeOptions

_PROGRAM: Final = "ovnguard-webhook"


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="ovnguard")
def cli() -> None:
    """Judge networks for a Kubernetes API server: validating and mutating admission over TLS."""


class _Serve(GroupedCommand):
    groups: ClassVar[Groups] = {
        "certificates": ("--san", "--authority-secret", "--service", "--registration"),
        "who may ask": ("--client-ca", "--client-name", "--client-network"),
        "metrics": ("--metrics-host", "--metrics-port", "--metrics-client-ca"),
        "what verdicts depend on": (
            "--manifests",
            "--operator",
            "--cluster-manager",
            "--feature-set",
            "--feature-gates",
        ),
        "the process": ("--sync-seconds", "--workers", "--connections"),
    }


@cli.command(
    cls=_Serve,
    epilog="""\b
Examples:
  ovnguard-webhook serve --self-signed ./certs --port 8443 --manifests ./networks --manifests ./nodes
  ovnguard-webhook serve --cert tls.crt --key tls.key --host 0.0.0.0 --port 8443 --in-cluster --workers 2
  ovnguard-webhook serve --authority-secret ovnguard-system/ovnguard-webhook-tls \\
      --service ovnguard-system/ovnguard-webhook --host 0.0.0.0 --in-cluster --workers 2
""",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8443, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 selects a free one."
)
@click.option("--cert", type=click.Path(path_type=Path), help="Serving certificate (PEM, with its chain).")
@click.option("--key", type=click.Path(path_type=Path), help="Unencrypted private key of --cert (PEM).")
@click.option(
    "--self-signed",
    type=click.Path(path_type=Path, file_okay=False),
    help="Create and renew certificates in this folder; clients trust its ca.crt.",
)
@click.option("--san", multiple=True, help="Additional DNS name or address for --self-signed; repeatable.")
@click.option(
    "--authority-secret",
    metavar="NAMESPACE/NAME",
    help="Store and renew a CA in this Secret, shared by all replicas; its public part in the ConfigMap of that name.",
)
@click.option("--service", metavar="NAMESPACE/NAME", help="Service named in the certificates of --authority-secret.")
@click.option(
    "--registration",
    default="ovnguard",
    show_default=True,
    help="Name of both webhook configurations that must trust the CA before it signs.",
)
@click.option(
    "--client-ca",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Require client certificates signed by these CAs (PEM).",
)
@click.option(
    "--client-name", multiple=True, help="Accept only client certificates with this CN or DNS name; repeatable."
)
@click.option(
    "--client-network",
    multiple=True,
    metavar="CIDR|apiservers",
    help="Accept admission requests only from these addresses, or from those of the cluster's API servers; repeatable.",
)
@click.option("--metrics-host", default="127.0.0.1", show_default=True, help="Address to serve metrics on.")
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    help="Port to serve /metrics on, over TLS; 0 selects a free one. Without it there are no metrics.",
)
@click.option(
    "--metrics-client-ca",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Require client certificates signed by these CAs (PEM) for metrics.",
)
@click.option("--manifests", multiple=True, help="File or folder with the objects of the cluster; repeatable.")
@click.option(
    "--kubeconfig", type=click.Path(path_type=Path, dir_okay=False), help="Watch the cluster of this kubeconfig."
)
@click.option("--in-cluster", is_flag=True, help="Watch the cluster that this process runs in.")
@click.option(
    "--operator",
    multiple=True,
    metavar="USER",
    help="User that the cluster network operator is, in place of the service accounts of namespace "
    "openshift-network-operator and ovnguard's own; repeatable. A name ending in a colon is a prefix.",
)
@click.option(
    "--cluster-manager",
    multiple=True,
    metavar="USER",
    help="User that OVN-Kubernetes' cluster manager is, in place of the service accounts of its own manifests and "
    "OpenShift's; repeatable. A name ending in a colon is a prefix.",
)
@click.option("--feature-set", metavar="NAME", help="Judge like a cluster with this feature set.")
@click.option(
    "--feature-gates",
    multiple=True,
    metavar="NAME=true|false,...",
    help="Feature gates that differ from --feature-set; repeatable.",
)
@click.option(
    "--sync-seconds",
    default=20.0,
    show_default=True,
    type=click.FloatRange(0, 50),
    help="Seconds that a worker waits for its cluster view before it answers 503.",
)
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Number of worker processes.")
@click.option(
    "--connections",
    default=600,
    show_default=True,
    type=click.IntRange(10, 4096),
    help="Maximum number of connections per worker; each uses a thread during a request.",
)
@click.version_option(package_name="ovnguard")
def serve(host: str, port: int, workers: int, connections: int, **options: Any) -> None:
    """Serve /validate, /mutate, /healthz and /readyz, and /metrics on a port of its own.

    Once it answers requests, it prints one line with the URL on standard output. Logs go to standard error, one JSON
    object per line. On SIGTERM the server finishes pending requests, then stops.

    The cluster view comes from --manifests, or live from --kubeconfig or --in-cluster; without any of them, each
    network is judged on its own.
    """
    # imported here, because `--help` must not load the server
    from ovnguard.webhook.commands.serve import run

    run(ServeOptions(host=host, port=port, workers=workers, connections=connections, **options))


@cli.command(
    name="ca-bundle",
    epilog="""\b
Examples:
  ovnguard-webhook ca-bundle --authority ovnguard-system/ovnguard-authority \\
      --service ovnguard-system/ovnguard-webhook --in-cluster
""",
)
@click.option("--authority", required=True, metavar="NAMESPACE/NAME", help="ConfigMap with the CA of `serve`.")
@click.option("--service", required=True, metavar="NAMESPACE/NAME", help="Service of the webhooks.")
@click.option("--registration", default="ovnguard", show_default=True, help="Name of both webhook configurations.")
@click.option("--kubeconfig", type=click.Path(path_type=Path, dir_okay=False), help="The cluster of this kubeconfig.")
@click.option("--in-cluster", is_flag=True, help="The cluster that this process runs in.")
@click.version_option(package_name="ovnguard")
def ca_bundle(authority: str, service: str, registration: str, kubeconfig: Path | None, *, in_cluster: bool) -> None:
    """Keep the caBundle of both webhook configurations equal to the CA that `serve --authority-secret` publishes.

    It needs no other permission than to read one ConfigMap and to read and patch these two objects.
    """
    # imported here, because `--help` must not load the client
    from ovnguard.webhook.commands.ca_bundle import run

    run(authority, service, registration, kubeconfig, in_cluster=in_cluster)


cli.add_command(manifests)
cli.add_command(policies)
cli.add_command(completion_command(_PROGRAM))


def main() -> NoReturn:
    """Run the command line and exit."""
    program.run(cli, _PROGRAM)
