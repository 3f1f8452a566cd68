"""`ovnguard-reconciler audit`: zones that OVN-Kubernetes maintains next to the plan. Nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import click

from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.audit.archive import audit_archive
from ovnguard.reconciler.commands.audit.live import audit_databases
from ovnguard.reconciler.commands.audit.printing import FORMATS, print_report
from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.manifests import ManifestOptions, Manifests, manifest_options
from ovnguard.reconciler.commands.options import Target, TLSOptions, option_group, with_cluster, with_tls
from ovnguard.reconciler.commands.output import print_failure
from ovnguard.validators.cluster.client_protocol import ClusterError, ClusterOptions
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler audit must-gather.tar.gz
  ovnguard-reconciler audit must-gather.local.123/ --node worker-a --network cluster_udn_red
  ovnguard-reconciler audit must-gather.tar.gz -o json | jq .nodes
  ovnguard-reconciler audit --kubeconfig ./kubeconfig --nb-db worker-a=ssl:10.0.0.2:6641 ...
  ovnguard-reconciler audit -f live/ --nodes live/ --nb-db worker-a=unix:/var/run/ovn/ovnnb_db.sock

\b
Exit codes: 0 no drift, 1 differences without a rule in docs/rows.md, an empty database, in a live cluster also a
network that was refused or cannot be planned, or with --strict less than half of the rows judged, 2 wrong call, or an
archive or objects that cannot be read, 3 a cluster or a live database that cannot be reached, or an internal error.
"""


@dataclass(frozen=True, slots=True)
class _Source:
    """What is audited: an archive, or live databases next to the objects of a cluster or of manifests."""

    archive: Path | None
    remotes: Sequence[str]
    tls: TLSOptions
    cluster: ClusterOptions

    def check(self, inputs: ManifestOptions) -> None:
        """Raise click.UsageError for a source that is missing, or for two."""
        of_cluster = self.cluster.kubeconfig is not None or self.cluster.context is not None
        live = {"--nb-db": self.remotes, "-f": inputs.files, "--nodes": inputs.nodes, "--kubeconfig": of_cluster}
        given = next((option for option, value in live.items() if value), None)
        if self.archive is not None and given is not None:
            raise click.UsageError(f"ARCHIVE holds the objects and the databases: leave out {given}")
        if self.archive is None and not self.remotes:
            raise click.UsageError("name what to audit: ARCHIVE, or --nb-db NODE=REMOTE of a live cluster")
        if bool(inputs.files) is not bool(inputs.nodes):
            raise click.UsageError("-f PATH and --nodes PATH need each other; without both, the cluster is read")
        if inputs.files and of_cluster:
            raise click.UsageError("the objects come from -f or from a cluster, not from both")

    def target(self, manifests: Manifests, nodes: Sequence[str]) -> Target:
        """Return the databases of ``nodes``, of all that are named if it is empty. Raises click.UsageError."""
        found = Target(None, dict(map(self.tls.remote_of, self.remotes)), self.tls.files(), None)
        found.check_nodes(manifests.node_names)
        if absent := next((node for node in nodes if node not in found.remotes), None):
            raise click.UsageError(f"--node: no --nb-db names node {absent}")
        return replace(found, remotes={node: found.remotes[node] for node in nodes or found.remotes})

    def read(self, inputs: ManifestOptions) -> tuple[str, Manifests]:
        """Return where the objects come from, and the objects. Raises ClusterError and UnreadableError."""
        if inputs.files:
            return ", ".join(inputs.files), inputs.read()
        from ovnguard.reconciler.commands.audit.cluster_objects import read_cluster  # the Kubernetes client

        place, manifests = read_cluster(self.cluster)
        return place, inputs.applied_to(manifests)


class _Only(NamedTuple):
    """What the report is about; an empty tuple stands for all."""

    nodes_only: tuple[str, ...]
    networks: tuple[str, ...]
    namespaces: tuple[str, ...]


@click.command("audit", cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("archive", required=False, type=click.Path(exists=True, path_type=Path))
@option_group(
    "only",
    _Only,
    click.option("--node", "nodes_only", multiple=True, metavar="NODE", help="Only these databases. Repeatable."),
    click.option("--network", "networks", multiple=True, metavar="NETWORK", help="Only these networks. Repeatable."),
    click.option(
        "--namespace",
        "namespaces",
        multiple=True,
        metavar="NAMESPACE",
        help="Only networks of these namespaces, and rows for their objects. Repeatable.",
    ),
)
@click.option("--strict", is_flag=True, help="Less than half of the rows judged is exit code 1.")
@manifest_options(required=False)
@click.option(
    "--nb-db", "remotes", multiple=True, metavar="NODE=REMOTE", help="Live Northbound database of a node. Repeatable."
)
@with_tls
@with_cluster
@option_group("source", _Source)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many processes compare the databases of an archive, each in the memory of one node.",
)
@click.option("-o", "--output", type=click.Choice(FORMATS), default="text")
@click.version_option(package_name="ovnguard")
def command(source: _Source, inputs: ManifestOptions, only: _Only, strict: bool, jobs: int, output: str) -> int:
    """Compare Northbound databases of OVN-Kubernetes with the plan of their cluster's objects: all rows and columns.

    ARCHIVE is a must-gather, a .tar.gz or a folder. The command finds nodes, networks, databases and the options of
    ovnkube in it, and needs no cluster. Rows of objects that were not collected are not judged. Without ARCHIVE, it
    reads the live databases of --nb-db without a lock, and the objects of the cluster, or those of -f and --nodes.
    """
    source.check(inputs)
    try:
        if source.archive is not None:
            report = audit_archive(source.archive, inputs, only.nodes_only, jobs)
        else:
            place, manifests = source.read(inputs)
            target = source.target(manifests, only.nodes_only)
            report = audit_databases(manifests, target, place, draws=output == "html")
    except StoreError as error:
        return print_failure(error)
    except ClusterError as error:
        click.echo(f"error: {error}", err=True)
        return Exit.INTERNAL
    report.narrow(only.networks, only.namespaces)
    return print_report(report, output, strict=strict)
