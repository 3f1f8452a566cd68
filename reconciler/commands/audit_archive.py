"""`ovnguard-reconciler audit`: a must-gather of a cluster, its databases next to the plan of its objects."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from reconciler.apply.files.must_gather import Collected, Database, MustGather
from reconciler.apply.files.ovsdb_file import read_database_file
from reconciler.apply.ovn.northbound_schema import DATABASE
from reconciler.apply.store_errors import ClusteredDatabaseError, StoreError
from reconciler.commands.audit import audit_as_json, audit_as_lines, headline
from reconciler.commands.manifests import Manifests, UnreadableError, manifests_of
from reconciler.commands.output import echo_lines, errors_on_nodes
from reconciler.commands.planned_manifests import plan_manifests
from reconciler.plan.comparison.audit import EMPTY, ZoneAudit
from reconciler.plan.comparison.coverage import EVERYWHERE, PODS, Coverage
from reconciler.plan.comparison.row_differences import Difference, printable
from reconciler.plan.comparison.severities import worst
from reconciler.plan.desired_state import DesiredState
from reconciler.plan.inputs.cluster_options import may_explain_drift
from reconciler.plan.render.as_text import Line
from reconciler.plan.zone_audit import audit_zone, expired_networks
from validators.base.json_types import JsonObject
from validators.commandline.program import Exit
from validators.network.cluster_view import CLUSTER_VERSION, DAEMON_SET, NAMESPACE, POD
from validators.network.declared.network_of import group_kind_of
from validators.network.list_text import counted, shortlist
from validators.network.ovnkube_settings.interconnect_workloads import VERSION_ANNOTATION
from validators.network.parse_values import dig

_WORST: Final = 5
_HALF: Final = 50
_CENTRAL: Final = (
    "the archive is of the central mode, before one zone per node: {file} served all nodes, and its rows are not judged"
)
_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler audit must-gather.tar.gz
  ovnguard-reconciler audit must-gather.local.123/ --node worker-a --network cluster_udn_red
  ovnguard-reconciler audit must-gather.tar.gz -o json | jq .nodes

\b
Exit codes: 0 no drift, 1 differences without a rule in docs/rows.md, an empty database, or with --strict less than half
of the rows judged, 2 wrong call or an archive that cannot be read, 3 an internal error.
"""


@dataclass(slots=True)
class _Found:
    """What the audit of an archive found, by node; ``notes`` and ``errors`` in order, each once."""

    zones: dict[str, ZoneAudit] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    errors: list[JsonObject] = field(default_factory=list)
    options: Sequence[str] = ()
    is_central: bool = False

    def note_central(self, file: str) -> None:
        """Say once that one database served all nodes."""
        if not self.is_central:
            self.notes[_CENTRAL.format(file=file)] = None
        self.is_central = True

    @property
    def drifts(self) -> list[tuple[str, Difference]]:
        """Every difference without a rule, with its node."""
        return [(node, each) for node, zone in self.zones.items() for of in zone.networks for each in of.drift]

    @property
    def judged(self) -> int:
        """The share of rows that were judged, in percent."""
        judged = sum(zone.equal + zone.drift + _explained(zone) for zone in self.zones.values())
        return 100 * judged // max(1, judged + sum(map(_unjudged, self.zones.values())))

    @property
    def is_as_planned(self) -> bool:
        """Whether no zone has drift; a zone that nobody plans is none."""
        return all(zone.is_as_planned or zone.fault not in ("", EMPTY) for zone in self.zones.values())


@click.command("audit", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("archive", type=click.Path(exists=True, path_type=Path))
@click.option("--node", "nodes", multiple=True, metavar="NODE", help="Only the databases of these nodes. Repeatable.")
@click.option("--network", "networks", multiple=True, metavar="NETWORK", help="Only these networks. Repeatable.")
@click.option("--strict", is_flag=True, help="Less than half of the rows judged is exit code 1.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
@click.version_option(package_name="ovnguard")
def command(archive: Path, nodes: tuple[str, ...], networks: tuple[str, ...], strict: bool, output: str) -> int:
    """Compare the Northbound databases in ARCHIVE, a must-gather, with the plan of its objects.

    ARCHIVE is a .tar.gz or a folder. The command finds nodes, networks, databases and the options of ovnkube in it, and
    needs no cluster. Rows of objects that were not collected are not judged.
    """
    try:
        with TemporaryDirectory(prefix="ovnguard-audit-") as spool:
            gathered = MustGather(archive, Path(spool))
            collected = gathered.collect()
            found = _audited(collected, gathered.databases(), frozenset(nodes), frozenset(networks))
    except StoreError as error:
        raise click.UsageError(str(error)) from None
    if output == "json":
        click.echo(json.dumps(_as_json(found), indent=2))
    else:
        echo_lines(map(Line, _as_text(str(archive), collected, found)))
    for text in (*(f"note: {note}" for note in found.notes), *errors_on_nodes(found.errors)):
        click.echo(text, err=True)
    too_little = strict and found.judged < _HALF
    return Exit.OK if found.is_as_planned and not too_little else Exit.INVALID


def _audited(
    collected: Collected, databases: Iterator[Database], nodes: frozenset[str], networks: frozenset[str]
) -> _Found:
    """Audit one database after the other, in the memory of one node."""
    manifests = replace(manifests_of(collected.documents), gathered=True)
    coverage = _coverage(collected)
    if collected.problems:
        raise UnreadableError(collected.problems)
    found = _Found()
    for file in collected.central:
        found.note_central(file)
    # a database that no pod served has the name of its node
    places = {name: name for name in manifests.node_names} | dict(_places(collected))
    for database in databases:
        node = places.get(database.pod, "")
        if not node:
            found.notes[f"{database.file}: no pod {database.pod} says which node it is of; not judged"] = None
        elif not nodes or node in nodes:
            _audit_database(found, manifests, coverage, node, database)
    if networks:
        found.zones = {node: zone.only(networks) for node, zone in found.zones.items()}
    absent = (nodes or manifests.node_names) - found.zones.keys()
    if absent and not found.is_central:
        found.notes[f"no Northbound database of node {shortlist(sorted(absent))}"] = None
    return found


def _audit_database(found: _Found, manifests: Manifests, coverage: Coverage, node: str, database: Database) -> None:
    try:
        read = read_database_file(database.stream, database.file)
    except ClusteredDatabaseError:
        found.note_central(database.file)
        return
    zone = next((str(row.columns.get("name", "")) for row in read.rows if row.table == "NB_Global"), "")
    if read.database != DATABASE:
        found.notes[f"{database.file}: is the database {printable(read.database)}; not judged"] = None
        return
    if zone not in ("", node):
        found.note_central(database.file)
        return
    if read.is_cut:
        found.notes[f"{database.file}: ends in the middle of a transaction, which is left out"] = None
    planned = plan_manifests(manifests, {}, (node,))
    desired = planned.desired.with_kept(_unknown(planned.desired, node, coverage))
    expired = expired_networks(desired, node, _moment(read.written))
    found.zones[node] = audit_zone(desired, node, read.rows, expired, coverage)
    found.notes |= dict.fromkeys(planned.notes)
    found.errors += [error for error in planned.errors if error not in found.errors]
    found.options = planned.unplanned_options


def _moment(milliseconds: int | None) -> datetime:
    """When a database was written; now where it does not say so."""
    return datetime.now(UTC) if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)


def _unknown(desired: DesiredState, node: str, coverage: Coverage) -> Iterator[str]:
    """Networks whose rows on ``node`` depend on objects that were not collected: pods, and Uplinks."""
    if not coverage.has("uplinkstates"):
        yield from (each.name for each in desired.candidates if each.network is not None and each.network.uplink)
    if not coverage.has_all(PODS):
        yield from desired.left_out_on(node).idle


def _coverage(collected: Collected) -> Coverage:
    found = {kind.rpartition("/")[2]: names for kind, names in collected.namespaces.items()}
    listed = (each for each in collected.documents if group_kind_of(each.value) == NAMESPACE)
    names = frozenset(each.identity.name for each in listed)
    return Coverage(found | {"namespaces": names | (found.get("namespaces", frozenset()) & {EVERYWHERE})}, whole=False)


def _places(collected: Collected) -> Iterator[tuple[str, str]]:
    """Each pod and its node."""
    for document in collected.documents:
        node = dig(document.value, "spec", "nodeName")
        if group_kind_of(document.value) == POD and isinstance(node, str):
            yield document.identity.name, node


def _release(collected: Collected) -> str:
    """The release that the archive states, '' for none."""
    for document in collected.documents:
        if group_kind_of(document.value) == CLUSTER_VERSION:
            found = dig(document.value, "status", "desired", "version")
        elif group_kind_of(document.value) == DAEMON_SET:
            found = dig(document.value, "metadata", "annotations", VERSION_ANNOTATION)
        else:
            continue
        if isinstance(found, str) and found:
            return printable(found)
    return ""


def _explained(zone: ZoneAudit) -> int:
    return sum(sum(each.explained.values()) for each in zone.networks)


def _unjudged(zone: ZoneAudit) -> int:
    return sum(zone.uncollected.values()) + sum(zone.unplanned.values())


def _as_text(archive: str, collected: Collected, found: _Found) -> Iterator[str]:
    """Yield the first screen, then each node."""
    zones, release = found.zones, _release(collected)
    of = f"release {release}" if release else "the archive names no release"
    yield f"{archive}: {of}; {counted(len(zones), 'Northbound database')}"
    totals = (sum(zone.equal for zone in zones.values()), sum(map(_explained, zones.values())), len(found.drifts))
    yield "{} as planned, {} explained, {} without a rule, {} not judged".format(
        counted(totals[0], "row"), counted(totals[1], "difference"), totals[2], sum(map(_unjudged, zones.values()))
    )
    yield from may_explain_drift(found.options)
    for meaning in worst(found.drifts, _WORST):
        yield f"  {meaning.severity.name.lower()}: {meaning.sentence}"
    for node, zone in zones.items():
        yield f"node {node}: {headline(zone)}"
        yield from (line.text for line in audit_as_lines(zone))
        if zone.uncollected:
            yield f"  not judged, because the archive lacks: {_counts(zone.uncollected)}"
    yield f"{found.judged} % of the rows were judged."


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{printable(name)} ({counted(count, 'row')})" for name, count in sorted(counts.items()))


def _as_json(found: _Found) -> JsonObject:
    meanings = [{"severity": each.severity.name.lower(), "text": each.sentence} for each in worst(found.drifts, _WORST)]
    nodes: JsonObject = {node: audit_as_json(zone) for node, zone in found.zones.items()}
    options, judged = list(found.options), found.judged
    return {"worst": meanings, "nodes": nodes, "judgedPercent": judged, "mayExplainDrift": options}
